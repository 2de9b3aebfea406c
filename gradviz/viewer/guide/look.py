"""How the text of the guide looks: fonts, colours and marks of each kind of span."""

from __future__ import annotations

from PySide6.QtCore import QCoreApplication
from PySide6.QtGui import QFont, QTextCharFormat

from gradviz.gallery.guide.facts import asked_of
from gradviz.gallery.guide.page import Fact, Link
from gradviz.model.palette import Role
from gradviz.viewer.look.theme import Theme
from gradviz.viewer.widgets.plain_text import plain_tooltip

PIXELS = 14
"""Height of the guide's type: it is read, not glanced at."""

_HEADINGS = {1: 20, 2: 16, 3: 14}
"""Height of headings by their level."""

EM = 1.12
"""One em of a formula in heights of type: its letters are smaller than those of the text."""


class Look:
    """Formats for one page in one theme."""

    def __init__(self, theme: Theme, page: str) -> None:
        self._theme, self._page = theme, page

    @property
    def em(self) -> float:
        """Device-independent pixels of one em of a formula."""
        return self._theme.px(PIXELS) * EM

    def text(self) -> QTextCharFormat:
        """Ordinary text."""
        return self._format(self._theme.font(PIXELS), "text")

    def heading(self, level: int) -> QTextCharFormat:
        """A heading; level 1 is the title."""
        return self._format(self._theme.font(_HEADINGS[level], bold=True), "text")

    def code(self, base: QTextCharFormat) -> QTextCharFormat:
        """Code in text of another format."""
        made = QTextCharFormat(base)
        font = self._theme.font(PIXELS - 1, mono=True)
        font.setBold(base.font().weight() > QFont.Weight.Normal)
        made.setFont(font)
        return made

    def coloured(self, base: QTextCharFormat, role: Role) -> QTextCharFormat:
        """The same in another colour."""
        made = QTextCharFormat(base)
        made.setForeground(self._theme.colour(role))
        return made

    def stressed(self, base: QTextCharFormat, *, strong: bool) -> QTextCharFormat:
        """Text that stands out."""
        made = QTextCharFormat(base)
        font = QFont(base.font())
        if strong:
            font.setWeight(QFont.Weight.DemiBold)
        else:
            font.setItalic(True)
        made.setFont(font)
        return made

    def fact(self, base: QTextCharFormat, fact: Fact) -> QTextCharFormat:
        """A recorded value: a dotted line below it, and a tooltip that says where it is from."""
        made = QTextCharFormat(base)
        made.setToolTip(plain_tooltip(self.source(fact)))
        if not base.isAnchor():
            made.setUnderlineStyle(QTextCharFormat.UnderlineStyle.DotLine)
            made.setUnderlineColor(self._theme.colour("border_strong"))
        return made

    def source(self, fact: Fact) -> str:
        """Where a fact is from."""
        scene, query = asked_of(fact.query, self._page)
        text = _tr("{text}: recorded from the scene {scene} ({query})")
        return text.format(text=fact.text, scene=scene, query=query)

    def link(self, base: QTextCharFormat, link: Link) -> QTextCharFormat:
        """What can be pressed."""
        made = QTextCharFormat(base)
        made.setAnchor(True)
        made.setAnchorHref(f"{link.kind}:{link.target}")
        made.setForeground(self._theme.colour("accent"))
        made.setUnderlineStyle(QTextCharFormat.UnderlineStyle.SingleUnderline)
        made.setToolTip(plain_tooltip(_purpose(link)))
        return made

    def _format(self, font: QFont, role: Role) -> QTextCharFormat:
        made = QTextCharFormat()
        made.setFont(font)
        made.setForeground(self._theme.colour(role))
        return made


def _purpose(link: Link) -> str:
    return {
        "step": _tr("Goes to step {target}"),
        "scene": _tr("Runs the scene {target}"),
        "page": _tr("Opens the page {target}"),
        "compare": _tr("Compares with the scene {target}"),
        "check": _tr("Checks the gradients by numbers")
        if link.target == "1"
        else _tr("Checks the second derivatives by numbers"),
        "show": _tr("Shows the panel {target}"),
    }[link.kind].format(target=link.target)


def _tr(text: str) -> str:
    return QCoreApplication.translate("Guide", text)
