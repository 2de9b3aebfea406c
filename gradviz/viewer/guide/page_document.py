"""Writes a guide page into a text document, as the HTML that exports write, too."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from html import escape
from itertools import groupby
from math import floor

from PySide6.QtCore import Qt, QUrl
from PySide6.QtGui import (
    QImage,
    QTextBlock,
    QTextCharFormat,
    QTextCursor,
    QTextDocument,
    QTextFormat,
    QTextFragment,
)

from gradviz.catalogue.messages import say
from gradviz.drawing.appearance.palette import PaletteRole
from gradviz.export.graph.svg_elements import svg_element
from gradviz.export.page.guide_articles import PageHtml
from gradviz.gallery.guide.page import (
    CodeBlock,
    GraphFigure,
    GuidePage,
    InlineFormula,
    Link,
    PageBlock,
    RunFact,
)
from gradviz.viewer.guide.formulas import PagePicture
from gradviz.viewer.guide.graphs import graph_key, is_graph
from gradviz.viewer.source.source_text import text_of
from gradviz.viewer.theme.theme import Theme, mono_family
from gradviz.viewer.translation import translate
from gradviz.viewer.widgets.plain_text import plain_tooltip

PIXELS = 14
"""Text size of the guide, larger than that of panels since it is for continuous reading."""

_HEADINGS = {1: 20, 2: 16, 3: 14}
"""Text sizes of headings by level."""

EM = 1.12
"""Em of a formula relative to the text size, as the formulas' letters are smaller."""

_IMAGE = QTextDocument.ResourceType.ImageResource.value

PagePictures = Mapping[tuple[str, bool], PagePicture]


@dataclass(slots=True)
class WrittenPage:
    """Positions in a document that are needed later.

    Attributes:
        steps: Block numbers, each with the step number of a link in the block.
        pictures: Positions of display formulas and graphs, each with its picture.
    """

    steps: list[tuple[int, int]] = field(default_factory=list)
    pictures: list[tuple[int, PagePicture]] = field(default_factory=list)


def write_page(
    document: QTextDocument, page: GuidePage, theme: Theme, pictures: PagePictures
) -> WrittenPage:
    """Replace a document's contents by a page.

    Args:
        document: The document to write to.
        page: The page.
        theme: Colors and fonts.
        pictures: Pictures of formulas and graphs; missing ones are left blank.
    """
    document.clear()
    document.setDefaultFont(theme.font(PIXELS))
    document.setDocumentMargin(theme.px(12))
    document.setIndentWidth(theme.px(20))
    document.setDefaultStyleSheet(_style_sheet(theme))
    for key, picture in pictures.items():
        document.addResource(_IMAGE, QUrl(_picture_name(key)), picture.image)
    document.setHtml(f"<body>{_DocumentHtml(page, theme, pictures).document()}</body>")
    return _finish(document, theme, {_picture_name(each): pictures[each] for each in pictures})


def _style_sheet(theme: Theme) -> str:
    """The rules of a page, in the part of CSS that Qt knows."""
    px = theme.px
    text, accent, raised, border = (
        theme.color(role).name() for role in ("text", "accent", "raised", "border")
    )
    code = f"font-family: '{mono_family()}'; font-size: {px(PIXELS - 1)}px;"
    return f"""
        body {{ color: {text}; font-size: {px(PIXELS)}px; line-height: 120%; }}
        h1, h2, h3 {{ font-weight: 600; margin-top: {px(14)}px; margin-bottom: {px(2)}px; }}
        h1 {{ margin-top: 0; margin-bottom: {px(4)}px; }}
        p {{ margin-top: {px(4)}px; margin-bottom: {px(6)}px; }}
        blockquote {{ margin: 0; margin-left: {px(10)}px; }}
        blockquote p {{ margin-top: {px(6)}px; background-color: {raised}; }}
        p.wide {{ margin-top: {px(6)}px; margin-bottom: {px(8)}px; margin-left: {px(10)}px;
            line-height: 100%; }}
        .graph {{ margin-top: {px(6)}px; margin-bottom: {px(8)}px; line-height: 100%; }}
        .code {{ margin-top: {px(6)}px; margin-bottom: {px(8)}px; margin-left: {px(6)}px;
            background-color: {raised}; white-space: pre-wrap; {code} }}
        code {{ {code} }}
        ol, ul {{ margin: 0; }}
        li {{ margin-top: {px(2)}px; margin-bottom: {px(4)}px; }}
        strong, th {{ font-weight: 600; }}
        th {{ text-align: left; }}
        table {{ border: 1px solid {border}; border-collapse: collapse; }}
        td, th {{ line-height: 100%; padding: {px(4)}px; border: 1px solid {border}; }}
        a {{ color: {accent}; text-decoration: underline; }}
    """


class _DocumentHtml(PageHtml):
    """A page for Qt, which knows no MathML and no SVG: formulas and graphs are pictures."""

    def __init__(self, page: GuidePage, theme: Theme, pictures: PagePictures) -> None:
        super().__init__(page, lambda link: f"{link.kind}:{link.target}")
        self._theme, self._pictures = theme, pictures

    def block(self, block: PageBlock) -> str:
        """Return one block as an element; Qt would make a paragraph of each line of code."""
        if not isinstance(block, CodeBlock):
            return super().block(block)
        pieces = "".join(self._piece(*each) for each in code_pieces(block))
        return f'<p class="code">{pieces}</p>'

    def _piece(self, text: str, role: PaletteRole, fact: RunFact | None) -> str:
        lines = "<br>".join(map(escape, text.split("\n")))
        piece = svg_element("span", lines, style=f"color: {self._theme.color(role).name()}")
        return piece if fact is None else self._tipped("fact", self._source(fact), piece)

    def _tipped(self, kind: str, tip: str, inside: str) -> str:
        # Qt would guess whether it is HTML.
        return super()._tipped(kind, plain_tooltip(tip), inside)

    def _graph(self, figure: GraphFigure) -> str:
        key = graph_key(self._page, figure)
        picture = self._pictures.get(key)
        if picture is None:
            return ""
        title = say("guide.graph", title=self._page.title, step=figure.step)
        return f'<p class="graph">{self._tipped("graph", title, _image(key, picture, title))}</p>'

    def _formula(self, formula: InlineFormula, *, display: bool) -> str:
        key = formula.latex, display
        picture = self._pictures.get(key)
        if picture is None:
            # Raw LaTeX would only flash, but it keeps some space for the picture.
            return svg_element("code", escape(formula.latex), style="color: transparent")
        tip = "\n".join((formula.latex, *map(self._source, formula.facts)))
        return self._tipped("formula", tip, _image(key, picture))

    def _link(self, link: Link) -> str:
        return self._tipped("link", _purpose(link), super()._link(link))


def _picture_name(key: tuple[str, bool]) -> str:
    """Name of the picture of a graph, or of a formula in its style."""
    latex, display = key
    return latex if is_graph(key) else f"formula:{'display' if display else 'inline'}:{latex}"


def _image(key: tuple[str, bool], picture: PagePicture, title: str = "") -> str:
    return svg_element(
        "img",
        src=_picture_name(key),
        alt=title,
        width=picture.width,
        height=picture.height,
        style=f"vertical-align: {'middle' if picture.centred else 'baseline'}",
    )


def _finish(
    document: QTextDocument, theme: Theme, pictures: Mapping[str, PagePicture]
) -> WrittenPage:
    """Format what Qt's CSS cannot, and find what is needed later."""
    steps: list[tuple[int, int]] = []
    shown: list[tuple[int, PagePicture]] = []
    for fragment, block in _fragments(document):
        made = fragment.charFormat()
        name = made.toImageFormat().name() if made.isImageFormat() else ""
        if made.anchorHref().startswith("step:"):
            step = made.anchorHref().removeprefix("step:").partition("/")[0]
            steps.append((block.blockNumber(), int(step)))
        if name in pictures and not name.startswith("formula:inline:"):
            shown.append((fragment.position(), pictures[name]))
        level = block.blockFormat().headingLevel()
        if level:
            # Otherwise it is a multiple of the size of text.
            made.clearProperty(QTextFormat.Property.FontSizeAdjustment)
            made.setProperty(QTextFormat.Property.FontPixelSize, theme.px(_HEADINGS[level]))
        if made.toolTip() and not (name or made.isAnchor()):
            made.setUnderlineStyle(QTextCharFormat.UnderlineStyle.DotLine)
            made.setUnderlineColor(theme.color("border_strong"))
        if made != fragment.charFormat():
            cursor, end = QTextCursor(block), fragment.position() + fragment.length()
            cursor.setPosition(fragment.position())
            cursor.setPosition(end, QTextCursor.MoveMode.KeepAnchor)
            cursor.setCharFormat(made)
    return WrittenPage(steps=[*dict.fromkeys(steps)], pictures=shown)


def _fragments(document: QTextDocument) -> list[tuple[QTextFragment, QTextBlock]]:
    """Texts and pictures with one format each, with their blocks."""
    found, block = [], document.begin()
    while block.isValid():
        at = block.begin()
        while not at.atEnd():
            found.append((at.fragment(), block))
            at += 1
        block = block.next()
    return found


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


CodePiece = tuple[str, PaletteRole, RunFact | None]
"""Some characters, their color role, and the recorded value they belong to."""


def code_pieces(block: CodeBlock) -> Iterator[CodePiece]:
    """Yield the pieces of a code block; a line end belongs to the piece before it."""
    text = "".join(part.text for part in block.parts)
    facts = [part if isinstance(part, RunFact) else None for part in block.parts for _ in part.text]
    roles = _roles(text if block.language == "python" else "", len(text))
    for _, group in groupby(range(len(text)), key=lambda at: (roles[at], id(facts[at]))):
        places = list(group)
        first = places[0]
        yield text[first : places[-1] + 1], roles[first], facts[first]


def _roles(text: str, count: int) -> list[PaletteRole]:
    """Return the color role of each character by Python syntax; `text` where none applies."""
    roles: list[PaletteRole] = ["text"] * count
    start = 0
    for line, spans in zip(text.split("\n"), text_of(text).spans, strict=False):
        for column, length, role in spans:
            roles[start + column : start + column + length] = [role] * length
        start += len(line) + 1
    return roles


def fit_pictures(document: QTextDocument, written: WrittenPage, space: float) -> None:
    """Scale display formulas and graphs down to the available width.

    Args:
        document: The document that contains them.
        written: Their positions.
        space: Width between the margins, in device-independent pixels.
    """
    for position, picture in written.pictures:
        wanted = min(picture.width, floor(space))
        cursor = QTextCursor(document)
        cursor.setPosition(position)
        cursor.setPosition(position + 1, QTextCursor.MoveMode.KeepAnchor)
        made = cursor.charFormat().toImageFormat()
        if made.width() != wanted:
            name = made.name().partition("@")[0]
            image = picture.image
            if wanted < picture.width:
                name = f"{name}@{wanted}"
                image = _narrowed(picture, wanted)
                document.addResource(_IMAGE, QUrl(name), image)
            made.setName(name)
            made.setWidth(image.width() / image.devicePixelRatio())
            made.setHeight(image.height() / image.devicePixelRatio())
            cursor.setCharFormat(made)


def _narrowed(picture: PagePicture, width: float) -> QImage:
    """Scale a picture smoothly, since Qt does not when it draws a text document."""
    image = picture.image.scaledToWidth(
        round(width * picture.image.devicePixelRatio()),
        Qt.TransformationMode.SmoothTransformation,
    )
    image.setDevicePixelRatio(picture.image.devicePixelRatio())
    return image
