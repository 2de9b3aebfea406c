"""Text formats of the guide: fonts, colors and marks of each kind of span."""

from __future__ import annotations

from PySide6.QtGui import QFont, QTextCharFormat

from gradviz.drawing.appearance.palette import PaletteRole
from gradviz.gallery.guide.facts import fact_source
from gradviz.gallery.guide.page import Link, RunFact
from gradviz.viewer.theme.theme import Theme
from gradviz.viewer.translation import translate
from gradviz.viewer.widgets.plain_text import plain_tooltip

PIXELS = 14
"""Text size of the guide, larger than that of panels since it is for continuous reading."""

_HEADINGS = {1: 20, 2: 16, 3: 14}
"""Text sizes of headings by level."""

EM = 1.12
"""Em of a formula relative to the text size, as the formulas' letters are smaller."""


class PageStyle:
    """Text formats for one page in one theme."""

    def __init__(self, theme: Theme, page: str) -> None:
        self._theme, self._page = theme, page

    @property
    def em(self) -> float:
        """Device-independent pixels per em of a formula."""
        return self._theme.px(PIXELS) * EM

    def text(self) -> QTextCharFormat:
        """Return the format of ordinary text."""
        return self._format(self._theme.font(PIXELS), "text")

    def heading(self, level: int) -> QTextCharFormat:
        """Return the format of a heading; level 1 is the page title."""
        return self._format(self._theme.font(_HEADINGS[level], bold=True), "text")

    def code(self, base: QTextCharFormat) -> QTextCharFormat:
        """Return a format for code within text of another format."""
        made = QTextCharFormat(base)
        font = self._theme.font(PIXELS - 1, mono=True)
        font.setBold(base.font().weight() > QFont.Weight.Normal)
        made.setFont(font)
        return made

    def colored(self, base: QTextCharFormat, role: PaletteRole) -> QTextCharFormat:
        """Return a format with another text color."""
        made = QTextCharFormat(base)
        made.setForeground(self._theme.color(role))
        return made

    def stressed(self, base: QTextCharFormat, *, strong: bool) -> QTextCharFormat:
        """Return a format for emphasis: bold if strong, else italic."""
        made = QTextCharFormat(base)
        font = QFont(base.font())
        if strong:
            font.setWeight(QFont.Weight.DemiBold)
        else:
            font.setItalic(True)
        made.setFont(font)
        return made

    def fact(self, base: QTextCharFormat, fact: RunFact) -> QTextCharFormat:
        """Return the format of a recorded value: dotted underline, source as tooltip."""
        made = QTextCharFormat(base)
        made.setToolTip(plain_tooltip(self.source(fact)))
        if not base.isAnchor():
            made.setUnderlineStyle(QTextCharFormat.UnderlineStyle.DotLine)
            made.setUnderlineColor(self._theme.color("border_strong"))
        return made

    def source(self, fact: RunFact) -> str:
        """Return a sentence on where a recorded value comes from."""
        return fact_source(self._page, fact)

    def link(self, base: QTextCharFormat, link: Link) -> QTextCharFormat:
        """Return the format of a link."""
        made = QTextCharFormat(base)
        made.setAnchor(True)
        made.setAnchorHref(f"{link.kind}:{link.target}")
        made.setForeground(self._theme.color("accent"))
        made.setUnderlineStyle(QTextCharFormat.UnderlineStyle.SingleUnderline)
        made.setToolTip(plain_tooltip(_purpose(link)))
        return made

    def _format(self, font: QFont, role: PaletteRole) -> QTextCharFormat:
        made = QTextCharFormat()
        made.setFont(font)
        made.setForeground(self._theme.color(role))
        return made


def _purpose(link: Link) -> str:
    return {
        "step": translate("Guide", "Go to step {target}"),
        "scene": translate("Guide", "Run the scene {target}"),
        "page": translate("Guide", "Open the page {target}"),
        "compare": translate("Guide", "Compare with the scene {target}"),
        "check": translate("Guide", "Check the gradients numerically")
        if link.target == "1"
        else translate("Guide", "Check the second derivatives numerically"),
        "show": translate("Guide", "Show the {target} panel"),
    }[link.kind].format(target=link.target)
