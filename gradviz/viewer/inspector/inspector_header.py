"""The top of the inspector: the sentence of the step, and its place in the run."""

from __future__ import annotations

from PySide6.QtCore import Signal
from PySide6.QtGui import QFont, QFontMetrics
from PySide6.QtWidgets import QPushButton, QWidget

from gradviz.document.facts.fact_rows import InspectorFacts
from gradviz.document.location_text import Breadcrumb
from gradviz.document.tag import DocumentLink, Tag
from gradviz.text.line_breaks import unbreakable_parts
from gradviz.viewer.tensor_view.tag_pills import TagPills
from gradviz.viewer.theme.theme import SMALL_PIXELS, UI_PIXELS, Theme
from gradviz.viewer.theme.theme_update import set_theme_font, set_theme_icon
from gradviz.viewer.widgets.column_layout import ColumnLayoutWidget, flow
from gradviz.viewer.widgets.fitted_text import broken_lines
from gradviz.viewer.widgets.plain_text import PlainLabel, plain_tooltip

LEAST_LINES, MOST_LINES = 4, 6
"""Lines of a sentence in a low and in a high panel; the tooltip has all of a longer one."""

_MOST_SHARE = 0.4
"""Share of the panel's height that a sentence may take."""

_LEFT, _TOP, _BOTTOM = 12, 8, 4
_GAP = 6
_SPACING = 6


class InspectorHeader(ColumnLayoutWidget):
    """Sentence, and the place with a button back to the current step.

    Signals:
        back_requested: The current step is to be shown again.
        jump_requested: The `DocumentLink` of a level of the path that was clicked.
    """

    back_requested = Signal()
    jump_requested = Signal(object)

    def __init__(self, theme: Theme, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._theme = theme
        self._facts: InspectorFacts | None = None
        self._sentence = PlainLabel(pixels=UI_PIXELS + 1, bold=True, parent=self)
        self._title = PlainLabel(pixels=UI_PIXELS, parent=self)
        self._tags = TagPills(theme, self)
        self._place = PlainLabel(muted=True, parent=self)
        self._crumbs = TagPills(theme, self)
        self._crumbs.jump_requested.connect(self.jump_requested)
        self._back = QPushButton(self.tr("Back to current step"), self)
        self._back.setToolTip(self.tr("Show the node of the current step again (Space)"))
        self._back.clicked.connect(self.back_requested)
        set_theme_font(self._back, theme)
        set_theme_icon(self._back, theme, "back")
        self.update_theme()

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
        self._sentence.setVisible(facts is not None)
        # The timeline shows where the current step is.
        self._place.setVisible(elsewhere and facts is not None)
        self._title.setVisible(facts is not None and not facts.crumbs)
        self._back.setVisible(elsewhere and facts is not None)
        self._tags.show(() if facts is None else facts.tags)
        self._crumbs.show(() if facts is None else self._tags_of(facts.crumbs))
        if facts is not None:
            self._place.setText(facts.place)
            self._sentence.setText(facts.sentence)
            self._sentence.setToolTip("")
        self.refresh()

    def update_theme(self) -> None:
        """Repaint with another theme."""
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
                tags.append(Tag(text, "plain", tip, DocumentLink(place=crumb.place)))
        return tuple(tags)

    def _most_height(self) -> int:
        """Return the maximum height of the sentence, in pixels."""
        panel, line = self.parentWidget(), QFontMetrics(self._large).lineSpacing()
        space = 0 if panel is None else int(_MOST_SHARE * panel.height())
        return max(LEAST_LINES * line, min(space, MOST_LINES * line))

    def _fitting_font(self, sentence: str, width: int) -> QFont:
        """Return the font of a sentence, smaller for one that would be too high."""
        lines = len(broken_lines(sentence, self._large, width))
        fits = lines * QFontMetrics(self._large).lineSpacing() <= self._most_height()
        return self._large if fits else self._theme.font(SMALL_PIXELS)

    @property
    def _large(self) -> QFont:
        return self._theme.font(UI_PIXELS + 1, bold=True)

    def _shorten(self, sentence: str, width: int) -> int:
        """Elide a sentence that would leave no space for the values; return its height.

        The tooltip has all of it.
        """
        most = self._most_height()
        self._sentence.setText(sentence)
        height = self._sentence.heightForWidth(width)
        if height <= most:
            return height
        parts = unbreakable_parts(sentence)
        low, high = 1, len(parts)
        while low < high:
            middle = (low + high + 1) // 2
            self._sentence.setText("".join(parts[:middle]).rstrip() + " …")
            fits = self._sentence.heightForWidth(width) <= most
            low, high = (middle, high) if fits else (low, middle - 1)
        self._sentence.setText("".join(parts[:low]).rstrip() + " …")
        self._sentence.setToolTip(plain_tooltip(sentence))
        return min(self._sentence.heightForWidth(width), most)

    def place(self, width: int, *, move: bool) -> int:
        """Lay out sentence and place; return the height."""
        if self._facts is None:
            return 0
        space = width - 2 * _LEFT
        font = self._sentence.font()
        self._sentence.use_font(self._fitting_font(self._facts.sentence, space))
        if move:
            height = self._shorten(self._facts.sentence, space)
            self._sentence.setGeometry(_LEFT, _TOP, space, height)
        else:
            height = min(self._sentence.heightForWidth(space), self._most_height())
            self._sentence.use_font(font)
        top = _TOP + height + _GAP
        self._title.show_short(self._facts.title, space)
        self._place.show_short(self._facts.place, space)
        parts = (self._title, *self._crumbs.pills, *self._tags.pills, self._place, self._back)
        return flow(parts, space, _SPACING, move=move, top=top, left=_LEFT) + _BOTTOM
