"""The top of the inspector: the sentence of the step in two lines, the rest of it folded."""

from __future__ import annotations

from PySide6.QtCore import QPoint, QRect, Signal
from PySide6.QtWidgets import QPushButton, QToolButton, QWidget

from gradviz.document.facts.fact_rows import InspectorFacts
from gradviz.text.line_breaks import unbreakable_parts
from gradviz.viewer.tensor_view.small.tensor_head import TagPills
from gradviz.viewer.theme.theme import UI_PIXELS, Theme
from gradviz.viewer.theme.theme_update import set_theme_font, set_theme_icon
from gradviz.viewer.widgets.column_layout import ColumnLayoutWidget, flow
from gradviz.viewer.widgets.plain_text import PlainLabel, plain_tooltip

SENTENCE_PIXELS = 18
MOST_LINES = 2
"""Lines of a sentence until it is unfolded."""

_LEFT, _TOP, _BOTTOM = 12, 8, 4
_GAP, _ICON = 6, 14
_ONE_LINE = 100_000
"""A width in pixels in which no sentence wraps."""

_END = "\N{NO-BREAK SPACE}…"


class InspectorHeader(ColumnLayoutWidget):
    """Sentence and unusual tags of the step; of another node, a button back to the step, too.

    Signals:
        back_requested: The current step is to be shown again.
    """

    back_requested = Signal()

    def __init__(self, theme: Theme, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._text = ""
        self._sentence = PlainLabel(pixels=SENTENCE_PIXELS, bold=True, parent=self)
        self._title = PlainLabel(pixels=UI_PIXELS, parent=self)
        self._tags = TagPills(theme, self)
        self._place = PlainLabel(muted=True, parent=self)
        self.more = QToolButton(self)
        self.more.setAccessibleName(self.tr("Whole sentence"))
        self.more.setToolTip(self.tr("Show the whole sentence (Space)"))
        self.more.setCheckable(True)
        self.more.setAutoRaise(True)
        self.more.toggled.connect(self.refresh)
        self._back = QPushButton(self.tr("Back to current step"), self)
        self._back.setToolTip(self.tr("Show the node of the current step again (Space)"))
        self._back.clicked.connect(self.back_requested)
        set_theme_icon(self.more, theme, "collapse", "text_muted", side=_ICON)
        set_theme_font(self._back, theme)
        set_theme_icon(self._back, theme, "back")

    def show_facts(self, facts: InspectorFacts | None, *, elsewhere: bool) -> None:
        """Show another sentence.

        Args:
            facts: The facts to show; None for none.
            elsewhere: Whether they are not about the current step.
        """
        text = "" if facts is None else facts.sentence
        if text != self._text:
            self._text = text
            self.more.setChecked(False)
        self._tags.show(() if facts is None else facts.tags)
        # The bar below the graph names the current step.
        for part in (self._title, self._place, self._back):
            part.setVisible(elsewhere and facts is not None)
        if facts is not None:
            self._title.setText(facts.title)
            self._place.setText(facts.place)
        self.refresh()

    def place(self, width: int, *, move: bool) -> int:
        """Lay out sentence and place; return the height."""
        self._sentence.setVisible(bool(self._text))
        if not self._text:
            self.more.hide()
            return 0
        space = width - 2 * _LEFT
        button = self.more.sizeHint()
        before = self._sentence.text()
        shown, height, is_long = self._shortened(space, space - button.width())
        self._sentence.setText(shown if move else before)
        if move:
            self.more.setVisible(is_long)
            self._sentence.setToolTip(plain_tooltip(self._text) if shown != self._text else "")
            own = space - button.width() if is_long else space
            self._sentence.setGeometry(_LEFT, _TOP, own, height)
            self.more.setGeometry(QRect(QPoint(_LEFT + own, _TOP), button))
        for label in (self._title, self._place):
            label.show_short(label.text(), space)
        parts = (self._title, *self._tags.pills, self._place, self._back)
        top = _TOP + height + _GAP
        bottom = flow(parts, space, _GAP, move=move, top=top, left=_LEFT)
        return (bottom if bottom > top else top - _GAP) + _BOTTOM

    def _shortened(self, width: int, beside: int) -> tuple[str, int, bool]:
        """Return as much of the sentence as is shown, its height, and whether it is a long one.

        Args:
            width: Width of a sentence that fits.
            beside: Width of a longer one, beside its button.
        """
        label = self._sentence
        label.setText(self._text)
        # Chinese characters, which come from another font, make a line higher.
        most = MOST_LINES * label.heightForWidth(_ONE_LINE)
        if label.heightForWidth(width) <= most:
            return self._text, label.heightForWidth(width), False
        if self.more.isChecked():
            return self._text, label.heightForWidth(beside), True
        parts = unbreakable_parts(self._text)
        low, high = 1, len(parts)
        while low < high:
            middle = (low + high + 1) // 2
            label.setText("".join(parts[:middle]).rstrip() + _END)
            fits = label.heightForWidth(beside) <= most
            low, high = (middle, high) if fits else (low, middle - 1)
        label.setText("".join(parts[:low]).rstrip() + _END)
        return label.text(), label.heightForWidth(beside), True
