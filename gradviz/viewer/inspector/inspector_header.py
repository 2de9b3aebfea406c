"""The top of the inspector: title, position in the run, and the sentence of the step."""

from __future__ import annotations

from PySide6.QtCore import Signal
from PySide6.QtWidgets import QPushButton, QWidget

from gradviz.viewer.inspector.facts.fact_rows import InspectorFacts
from gradviz.viewer.location_text import Breadcrumb
from gradviz.viewer.tensor_view.tag_pills import TagPills
from gradviz.viewer.theme.icons import icon
from gradviz.viewer.theme.theme import TITLE_PIXELS, UI_PIXELS, Theme
from gradviz.viewer.widgets.column_layout import ColumnLayoutWidget, flow, stack
from gradviz.viewer.widgets.pill import PillTarget, Tag
from gradviz.viewer.widgets.plain_text import PlainLabel, plain_tooltip

MOST_LINES = 10
"""Lines of a sentence to show; a step with a hundred gradients would have more."""

_LEFT, _TOP, _BOTTOM = 12, 10, 4
_GAP = 4
_SPACING = 8


class InspectorHeader(ColumnLayoutWidget):
    """Title with tags, position with a button back to the current step, and sentence.

    Signals:
        back_requested: The current step is to be shown again.
        jump_requested: The `PillTarget` of a level of the path that was clicked.
    """

    back_requested = Signal()
    jump_requested = Signal(object)

    def __init__(self, theme: Theme, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._facts: InspectorFacts | None = None
        self._title = PlainLabel(pixels=TITLE_PIXELS, bold=True, parent=self)
        self._tags = TagPills(theme, self)
        self._place = PlainLabel(muted=True, parent=self)
        self._crumbs = TagPills(theme, self)
        self._crumbs.jump_requested.connect(self.jump_requested)
        self._sentence = PlainLabel(pixels=UI_PIXELS + 1, parent=self)
        self._back = QPushButton(self.tr("Back to current step"), self)
        self._back.setToolTip(self.tr("Show the node of the current step again (Space)"))
        self._back.clicked.connect(self.back_requested)
        self.set_theme(theme)

    @property
    def back(self) -> QPushButton:
        """The button that shows the current step again."""
        return self._back

    @property
    def tags(self) -> TagPills:
        """The tags after the title."""
        return self._tags

    @property
    def crumbs(self) -> TagPills:
        """The path to a place inside a step; each level but the last is a link."""
        return self._crumbs

    def show_facts(self, facts: InspectorFacts | None, *, elsewhere: bool) -> None:
        """Show another title and sentence.

        Args:
            facts: The facts to show; None for none.
            elsewhere: Whether they are not about the current step.
        """
        self._facts = facts
        for label in (self._title, self._place, self._sentence):
            label.setVisible(facts is not None)
        self._back.setVisible(elsewhere and facts is not None)
        self._tags.show(() if facts is None else facts.tags)
        self._crumbs.show(() if facts is None else self._tags_of(facts.crumbs))
        if facts is not None:
            self._place.setText(facts.place)
            self._sentence.setText(facts.sentence)
            self._sentence.setToolTip("")
        self.refresh()

    def set_theme(self, theme: Theme) -> None:
        """Repaint with another theme."""
        for label in (self._title, self._place, self._sentence):
            label.set_theme(theme)
        self._tags.set_theme(theme)
        self._crumbs.set_theme(theme)
        self._back.setFont(theme.font())
        self._back.setIcon(icon("back", theme))
        self.refresh()

    def _tags_of(self, crumbs: tuple[Breadcrumb, ...]) -> tuple[Tag, ...]:
        """A tag for each level of the path; all but the last are links."""
        tags = []
        for at, crumb in enumerate(crumbs):
            text = self.tr("\u203a {place}").format(place=crumb.text) if at else crumb.text
            if crumb == crumbs[-1]:
                tags.append(Tag(text, "accent", self.tr("Here")))
            else:
                tip = self.tr("Go up to {place}").format(place=crumb.text)
                tags.append(Tag(text, "plain", tip, PillTarget(place=crumb.place)))
        return tuple(tags)

    def _shorten(self, sentence: str, width: int) -> None:
        """Elide a sentence that would leave no space for the values; the tooltip has it all."""
        most = MOST_LINES * self._sentence.fontMetrics().lineSpacing()
        self._sentence.setText(sentence)
        if self._sentence.heightForWidth(width) <= most:
            return
        words = sentence.split(" ")
        low, high = 1, len(words)
        while low < high:
            middle = (low + high + 1) // 2
            self._sentence.setText(" ".join(words[:middle]) + " …")
            fits = self._sentence.heightForWidth(width) <= most
            low, high = (middle, high) if fits else (low, middle - 1)
        self._sentence.setText(" ".join(words[:low]) + " …")
        self._sentence.setToolTip(plain_tooltip(sentence))

    def place(self, width: int, *, move: bool) -> int:
        """Lay out title with tags, position, path and sentence; return the height."""
        if self._facts is None:
            return 0
        space = width - 2 * _LEFT
        self._title.show_short(self._facts.title, space)
        y = flow((self._title, *self._tags.pills), space, _SPACING, move=move, top=_TOP, left=_LEFT)
        back_width = 0 if self._back.isHidden() else self._back.sizeHint().width() + _GAP
        height = self._place.heightForWidth(space - back_width)
        if back_width:
            height = max(height, self._back.sizeHint().height())
            if move:
                own = self._back.sizeHint().width()
                self._back.setGeometry(_LEFT + space - own, y + _GAP, own, height)
        if move:
            self._place.setGeometry(_LEFT, y + _GAP, space - back_width, height)
        top = y + 2 * _GAP + height
        if self._crumbs.pills:
            pills = self._crumbs.pills
            top = flow(pills, space, _GAP, move=move, top=top, left=_LEFT) + _GAP
        if move:
            self._shorten(self._facts.sentence, space)
        return stack((self._sentence,), space, 0, move=move, top=top, left=_LEFT) + _BOTTOM
