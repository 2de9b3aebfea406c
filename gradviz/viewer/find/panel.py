"""Drop-down list below the search field: matches, examples or a message."""

from __future__ import annotations

from collections.abc import Hashable
from typing import cast

from PySide6.QtCore import QEvent, QSize, Qt, Signal
from PySide6.QtGui import (
    QAction,
    QFocusEvent,
    QKeyEvent,
    QPainter,
    QPaintEvent,
    QPalette,
    QPen,
    QResizeEvent,
)
from PySide6.QtWidgets import QFrame, QLabel, QLineEdit, QVBoxLayout, QWidget

from gradviz.analysis.index.trace_index import TraceIndex
from gradviz.analysis.search.hits import SearchHit
from gradviz.analysis.search.search_index import SearchIndex, node_kind_text
from gradviz.catalogue.language import format_count
from gradviz.document.document import Document, Field, Row, document_of
from gradviz.text.search_hits import hit_reason, hit_title
from gradviz.viewer.find.trace_finder import FindResult
from gradviz.viewer.local_keys import FIND_KEYS, pressed
from gradviz.viewer.rows.rows_view import RowsView
from gradviz.viewer.theme.theme import SMALL_PIXELS, UI_PIXELS, Theme
from gradviz.viewer.theme.theme_update import set_theme_font, set_theme_icon
from gradviz.viewer.translation import translate
from gradviz.viewer.widgets.layouts import lay_out
from gradviz.viewer.widgets.plain_text import PlainLabel, show_text

_WIDTH, _MOST = 280, 300
_WIDEST = 360
"""Maximum width in pixels at any text size, as the title of the run needs space too."""


class FindField(QLineEdit):
    """Text field of the search; emits the keys that move between matches.

    Attributes:
        count: The text at the right end.

    Signals:
        command_pressed: A command of the place ``find`` in `gradviz.viewer.local_keys`.
        focused: Whether the field has the focus now.
    """

    command_pressed = Signal(str)
    focused = Signal(bool)

    def __init__(self, theme: Theme, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setObjectName("find")
        self._theme = theme
        self._icon = QAction(self)
        self.addAction(self._icon, QLineEdit.ActionPosition.LeadingPosition)
        self.count = QLabel(self)
        self.count.setTextFormat(Qt.TextFormat.PlainText)
        self.count.setForegroundRole(QPalette.ColorRole.PlaceholderText)
        self.setMaxLength(_MOST)
        self.setPlaceholderText(self.tr("Find a node, tensor, step…"))
        self.setAccessibleName(self.tr("Find"))
        self._icon.setText(self.tr("Find"))
        self._icon.triggered.connect(self.setFocus)
        set_theme_font(self, theme, UI_PIXELS)
        set_theme_font(self.count, theme, SMALL_PIXELS)
        set_theme_icon(self._icon, theme, "search", "text_muted")
        self.update_theme()

    def show_count(self, text: str) -> None:
        """Show the number of matches, and which one is current."""
        self.count.setText(text)
        self.update_theme()

    def update_theme(self) -> None:
        """Place the count at the right end."""
        self.count.adjustSize()
        width = self.count.width() if self.count.text() else 0
        self.count.move(self.width() - width - 10, (self.height() - self.count.height()) // 2)
        self.setTextMargins(0, 0, width + 8 if width else 0, 0)

    def sizeHint(self) -> QSize:
        """Return a size with enough width for two words and a count."""
        return QSize(min(self._theme.px(_WIDTH), _WIDEST), self._theme.px(32))

    def minimumSizeHint(self) -> QSize:
        """Return a smaller size for narrow windows."""
        return QSize(self._theme.px(150), self._theme.px(32))

    def event(self, event: QEvent) -> bool:
        """Claim Escape, Enter and the arrow keys before the window's shortcuts get them."""
        ours = isinstance(event, QKeyEvent) and pressed(FIND_KEYS, event) != ""
        if event.type() == QEvent.Type.ShortcutOverride and ours:
            event.accept()
            return True
        return super().event(event)

    def focusInEvent(self, event: QFocusEvent) -> None:
        """Announce that the field has the focus."""
        super().focusInEvent(event)
        self.focused.emit(True)

    def focusOutEvent(self, event: QFocusEvent) -> None:
        """Announce that the focus has left, unless a popup menu took it."""
        super().focusOutEvent(event)
        if event.reason() != Qt.FocusReason.PopupFocusReason:
            self.focused.emit(False)

    def keyPressEvent(self, event: QKeyEvent) -> None:
        """Emit the search commands; other keys edit the text."""
        command = pressed(FIND_KEYS, event)
        if command:
            self.command_pressed.emit(command)
        else:
            super().keyPressEvent(event)

    def resizeEvent(self, event: QResizeEvent) -> None:
        """Keep the count at the right end."""
        super().resizeEvent(event)
        self.update_theme()


MOST_ROWS = 9


class FindPanel(QFrame):
    """Overlay on the window; the focus stays in the search field.

    Attributes:
        status: The sentence above the list.
        list: The matches or examples.
        more: The sentence below the list.

    Signals:
        hit_clicked: Index of the match, from 0.
        example_clicked: Query text of the example.
    """

    hit_clicked = Signal(object)
    example_clicked = Signal(str)

    def __init__(self, theme: Theme, parent: QWidget) -> None:
        super().__init__(parent)
        self._theme = theme
        self._examples = False
        self.setAutoFillBackground(True)
        self.setBackgroundRole(QPalette.ColorRole.Base)
        self.status = PlainLabel(pixels=SMALL_PIXELS, muted=True)
        self.list = RowsView(theme)
        self.list.setFocusPolicy(Qt.FocusPolicy.NoFocus)
        self.more = PlainLabel(pixels=SMALL_PIXELS, muted=True)
        self._above = QVBoxLayout()
        for label in (self.status, self.more):
            label.setContentsMargins(12, 8, 12, 8)
        lay_out(
            QVBoxLayout(self),
            self._above,
            self.status,
            (self.list, 1),
            self.more,
            margins=1,
            gap=0,
        )
        self.list.chosen.connect(self._on_list_chosen)
        # The panel may be shown before there is anything to say, and empty labels have no height.
        self._say("", "")
        self.hide()

    def show_examples(self, status: str) -> None:
        """Show a sentence and examples of queries."""
        examples = self._all_examples()
        self._examples = True
        self._say(status, "")
        self.list.setAccessibleName(self.tr("Examples"))
        rows = [Row(fields=(Field(text=text),), note=note) for text, note in examples]
        self._show(document_of(("",), rows))

    def show_sentence(self, status: str) -> None:
        """Show a sentence and an empty list."""
        self._examples = False
        self._say(status, "")
        self._show(Document())

    def show_hits(self, answer: FindResult, index: TraceIndex, search_index: SearchIndex) -> None:
        """List the matches."""
        self._examples = False
        hits = answer.hits
        unknown = 0 if answer.found is None else answer.found.unknown
        self._say("", self._unknown(unknown))
        self.list.setAccessibleName(self.tr("Matches"))

        def row(key: Hashable) -> Row:
            return _row_of(index, search_index, hits[cast("int", key)])

        self._show(Document(keys=range(len(hits)), row=row))

    def _show(self, document: Document) -> None:
        self.list.go_to(None)
        self.list.show_document(document)

    def attach_field(self, field: QWidget) -> None:
        """Show the field above the list, for when its usual place is hidden."""
        self._above.setContentsMargins(8, 8, 8, 8)
        self._above.addWidget(field)

    def detach_field(self, field: QWidget) -> None:
        """Remove the field from the panel."""
        self._above.removeWidget(field)
        self._above.setContentsMargins(0, 0, 0, 0)

    def fit_height(self, most: int) -> None:
        """Set the height to that of the contents, up to a limit."""
        rows = min(self.list.rows.rowCount(), MOST_ROWS)
        words = self._above.sizeHint().height()
        for label in (self.status, self.more):
            if not label.isHidden():
                # Otherwise the list, even if empty, would take height from a label that can shrink.
                label.setFixedHeight(label.heightForWidth(self.width() - 2))
                words += label.height()
        self.resize(self.width(), min(most, self.list.height_of(rows) + words + 2))

    def _say(self, above: str, below: str) -> None:
        for label, text in ((self.status, above), (self.more, below)):
            show_text(label, text)

    def _unknown(self, count: int) -> str:
        if count == 0:
            return ""
        return self.tr(
            "The values of %Ln tensor(s) were not recorded; they may match, too.", "", count
        )

    def _all_examples(self) -> list[tuple[str, str]]:
        return [
            ("Mul", self.tr("part of the name of a node, leaf, tensor or module")),
            ("shape:2x3", self.tr("a tensor of this shape; *x3 for any number of rows")),
            ("has NaN", self.tr("NaN values; also has Inf, has saved")),
            ("module:layers.3", self.tr("created in this module or one inside it")),
            (
                "kind:custom",
                self.tr("also builtin and leaf; dtype:float32 and step:12 work as well"),
            ),
            ("/^Mul.*0$/", self.tr("a regular expression in Python syntax")),
        ]

    def _on_list_chosen(self, row: int) -> None:
        if self._examples:
            self.example_clicked.emit(self._all_examples()[row][0])
        else:
            self.hit_clicked.emit(row)

    def paintEvent(self, event: QPaintEvent) -> None:
        """Paint the background and the border."""
        painter = QPainter(self)
        painter.setPen(QPen(self._theme.color("border_strong"), 1))
        painter.setBrush(self._theme.color("panel"))
        painter.drawRect(self.rect().adjusted(0, 0, -1, -1))
        painter.end()


def _row_of(index: TraceIndex, search_index: SearchIndex, hit: SearchHit) -> Row:
    sign = "sign-step"
    if hit.node is not None:
        kind = node_kind_text(index.node[hit.node])
        sign = "sign-failing" if kind == "error" else f"sign-{kind}"
    step = translate("FindPanel", "step {0}").format(format_count(hit.step)) if hit.step else ""
    title = Field(text=hit_title(index, hit), icon=sign)
    return Row(fields=(title, Field(text=step)), note=hit_reason(index, search_index, hit))
