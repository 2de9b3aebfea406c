"""Which files can be opened, and how they are dropped on the window."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from PySide6.QtCore import QEvent, QMimeData, QObject, QRectF, Qt, QTimer, Signal
from PySide6.QtGui import QDragEnterEvent, QDropEvent, QPainter, QPaintEvent, QPen
from PySide6.QtWidgets import QMainWindow, QWidget

from gradviz.catalogue.visible_text import visible_text
from gradviz.drawing.appearance.palette import PaletteRole
from gradviz.store.file_kind import is_special, kind_of
from gradviz.viewer.theme.theme import TITLE_PIXELS, Theme
from gradviz.viewer.translation import plural, translate


def can_be_opened(path: Path) -> bool:
    """Return whether a file can be opened, judging by its name, or the first bytes of a trace."""
    return bool(kind_of(path))


def refusal(paths: Sequence[Path]) -> str:
    """Return a sentence that these files cannot be opened."""
    name = visible_text(paths[0].name)
    if len(paths) == 1 and is_special(paths[0]):
        text = translate("FileKinds", "{0} is a pipe or device, not a regular file.")
        return text.format(name)
    if len(paths) == 1:
        return translate(
            "FileKinds",
            "{0} is not a Python file (.py), a notebook (.ipynb), a trace (.gradviz)"
            " or a lesson (.gradviz-lesson).",
        ).format(name)
    text = plural.tr(
        "{0} and %Ln more are not Python files (.py), notebooks (.ipynb), traces (.gradviz)"
        " or lessons (.gradviz-lesson).",
        "",
        len(paths) - 1,
    )
    return text.format(name)


_SOON_MS = 60
"""Delay before hiding: a drag leaves the window before it enters the overlay."""


class FileDrop(QObject):
    """Event filter that handles file drops before the window does.

    Signals:
        dropped: Tuple of the dropped paths that can be opened.
        refused: Tuple of the dropped paths that cannot be opened.
    """

    dropped = Signal(object)
    refused = Signal(object)

    def __init__(self, window: QMainWindow, theme: Theme) -> None:
        super().__init__(window)
        self._window = window
        self.overlay = DropOverlay(theme, window)
        self._soon = QTimer(self, singleShot=True, interval=_SOON_MS)
        self._soon.timeout.connect(self.overlay.hide)
        for each in (window, self.overlay):
            each.setAcceptDrops(True)
            each.installEventFilter(self)

    def _enter(self, event: QDragEnterEvent) -> None:
        good, wrong = _paths_in(event.mimeData())
        if not good and not wrong:
            event.ignore()
            return
        event.acceptProposedAction()
        self._soon.stop()
        self.overlay.say(self._promise(good, wrong), "accent" if good else "warning")
        self.overlay.setGeometry(self._window.rect())
        self.overlay.show()
        self.overlay.raise_()

    def _promise(self, good: tuple[Path, ...], wrong: tuple[Path, ...]) -> str:
        if not good:
            return refusal(wrong)
        if len(good) == 1:
            return self.tr("Drop to open {0}").format(visible_text(good[0].name))
        return self.tr("Drop to open %Ln file(s), each in its own window", "", len(good))

    def _drop(self, event: QDropEvent) -> None:
        good, wrong = _paths_in(event.mimeData())
        self.overlay.hide()
        event.acceptProposedAction()
        if good:
            self.dropped.emit(good)
        if wrong:
            self.refused.emit(wrong)

    def eventFilter(self, watched: QObject, event: QEvent) -> bool:
        """Handle drag and drop events of files."""
        if isinstance(event, QDragEnterEvent):
            self._enter(event)
            return True
        if event.type() == QEvent.Type.DragLeave:
            self._soon.start()
            return True
        if event.type() == QEvent.Type.Drop and isinstance(event, QDropEvent):
            self._drop(event)
            return True
        return False


class DropOverlay(QWidget):
    """Overlay on the window while files are dragged over it."""

    def __init__(self, theme: Theme, parent: QWidget) -> None:
        super().__init__(parent)
        self._theme = theme
        self._ink: PaletteRole = "accent"
        self.text = ""
        self.hide()

    def say(self, text: str, ink: PaletteRole) -> None:
        """Show what a drop will do."""
        self.text, self._ink = text, ink
        self.setAccessibleName(text)
        self.update()

    def paintEvent(self, event: QPaintEvent) -> None:
        """Paint a frame with the sentence in the center."""
        painter = QPainter(self)
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        ground = self._theme.color("panel")
        ground.setAlphaF(0.88)
        painter.fillRect(self.rect(), ground)
        painter.setPen(QPen(self._theme.color(self._ink), 3, Qt.PenStyle.DashLine))
        painter.drawRoundedRect(QRectF(self.rect()).adjusted(18, 18, -18, -18), 12, 12)
        painter.setFont(self._theme.font(TITLE_PIXELS, bold=True))
        flags = Qt.AlignmentFlag.AlignCenter | Qt.TextFlag.TextWordWrap
        space = self.rect().adjusted(80, 80, -80, -80)
        place = painter.boundingRect(space, flags, self.text)
        painter.setPen(QPen(self._theme.color(self._ink), 1))
        painter.setBrush(self._theme.color("panel"))
        painter.drawRoundedRect(QRectF(place).adjusted(-28, -18, 28, 18), 10, 10)
        painter.setPen(self._theme.color("text"))
        painter.drawText(place, flags, self.text)
        painter.end()


def _paths_in(data: QMimeData) -> tuple[tuple[Path, ...], tuple[Path, ...]]:
    """Split the dragged files into those that can be opened and the others."""
    found = [Path(url.toLocalFile()) for url in data.urls() if url.isLocalFile()]
    good = tuple(path for path in found if can_be_opened(path))
    return good, tuple(path for path in found if not can_be_opened(path))
