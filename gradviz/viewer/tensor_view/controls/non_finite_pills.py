"""Counts of NaN and infinities as pills that lead to the first such element."""

from __future__ import annotations

from PySide6.QtCore import QEvent, QObject, Signal
from PySide6.QtWidgets import QWidget

from gradviz.catalogue.language import format_count
from gradviz.document.tag import PillTone, Tag
from gradviz.model.statistics import Statistics
from gradviz.viewer.tensor_view.shown_tensor import NonFiniteKind
from gradviz.viewer.tensor_view.tensor_text import non_finite_counts
from gradviz.viewer.theme.theme import Theme
from gradviz.viewer.widgets.flow_layout import FlowLayout
from gradviz.viewer.widgets.pill import Pill


class NonFinitePills(QWidget):
    """One pill per kind of value that the color scale cannot show; hidden if there are none.

    Signals:
        jump_requested: The `NonFiniteKind` kind whose first element is to be shown.
        origin_requested: The `NonFiniteKind` kind whose first element's origin was requested.
    """

    jump_requested = Signal(object)
    origin_requested = Signal(object)

    def __init__(self, theme: Theme, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._theme = theme
        self._row = FlowLayout(self)
        self._pills: dict[NonFiniteKind, Pill] = {}
        self.hide()

    @property
    def pills(self) -> tuple[Pill, ...]:
        """The visible pills."""
        return tuple(pill for pill in self._pills.values() if not pill.isHidden())

    def show_counts(
        self,
        numbers: Statistics | None,
        *,
        clipped: int = 0,
        findable: bool = True,
        is_harmful: bool = False,
    ) -> None:
        """Show the counts of another tensor.

        Args:
            numbers: The statistics; None if they were not computed.
            clipped: Number of finite elements beyond the end of the color scale.
            findable: Whether elements were kept that a pill can lead to.
            is_harmful: Whether NaN and Inf are red.
        """
        found = self._counts(numbers, clipped)
        for kind, pill in self._pills.items():
            pill.setVisible(kind in found)
        for kind, text in found.items():
            tip = self._tip(kind) if findable else ""
            tone: PillTone = "error" if is_harmful else "plain"
            tag = Tag(text, "warning" if kind == "clipped" else tone, tip)
            pill = self._pill(kind)
            pill.setEnabled(findable)
            pill.show_tag(tag)
            # A layout shows new widgets only in the next turn of the event loop.
            pill.show()
        self.setVisible(bool(found))

    def _tip(self, kind: NonFiniteKind) -> str:
        if kind == "clipped":
            return self.tr("Go to the first one")
        return self.tr("Go to the first one; double-click to find its origin")

    def _pill(self, kind: NonFiniteKind) -> Pill:
        if kind not in self._pills:
            pill = Pill(Tag(""), self._theme, pressable=True, parent=self)
            # Tells the slots, which all pills share, where the signal came from.
            pill.setObjectName(kind)
            pill.clicked.connect(self._on_pill_clicked)
            # A clipped value is finite, so there is no origin to find.
            if kind != "clipped":
                pill.installEventFilter(self)
            self._row.addWidget(pill)
            self._pills[kind] = pill
        return self._pills[kind]

    def _counts(self, numbers: Statistics | None, clipped: int) -> dict[NonFiniteKind, str]:
        kinds: tuple[NonFiniteKind, ...] = ("nan", "positive", "negative")
        texts = non_finite_counts(numbers)
        found = {kind: text for kind, text in zip(kinds, texts, strict=False) if text}
        if clipped:
            found["clipped"] = self.tr("{count} beyond the scale").format(
                count=format_count(clipped)
            )
        return found

    def _on_pill_clicked(self) -> None:
        sender = self.sender()
        if isinstance(sender, Pill):
            self.jump_requested.emit(sender.objectName())

    def eventFilter(self, watched: QObject, event: QEvent) -> bool:
        """Request the origin when a pill is double-clicked."""
        if event.type() == QEvent.Type.MouseButtonDblClick and isinstance(watched, Pill):
            self.origin_requested.emit(watched.objectName())
            return True
        # Not that of Qt, as the watched widget may be one that is being deleted.
        return False
