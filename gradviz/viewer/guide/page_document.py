"""Writes a guide page into a text document with formats, never as HTML."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from itertools import groupby
from math import floor

from PySide6.QtCore import Qt, QUrl
from PySide6.QtGui import (
    QFont,
    QImage,
    QTextBlockFormat,
    QTextCharFormat,
    QTextCursor,
    QTextDocument,
    QTextFormat,
    QTextFrameFormat,
    QTextImageFormat,
    QTextListFormat,
    QTextTableFormat,
)

from gradviz.catalogue.messages import say
from gradviz.drawing.appearance.palette import PaletteRole
from gradviz.gallery.guide.facts import fact_source
from gradviz.gallery.guide.page import (
    CodeBlock,
    DisplayFormula,
    EmphasizedText,
    GraphFigure,
    GuidePage,
    InlineCode,
    InlineFormula,
    Link,
    Listing,
    PageBlock,
    PageHeading,
    PageSpan,
    PageTable,
    Paragraph,
    PlainWords,
    RunFact,
)
from gradviz.viewer.guide.formulas import PagePicture
from gradviz.viewer.guide.graphs import graph_key
from gradviz.viewer.source.source_text import text_of
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


_IMAGE = QTextDocument.ResourceType.ImageResource.value

_LINE_END = "\u2028"
"""Line separator within a block."""

_HEIGHT, _SINGLE = 120, 100
"""Line heights in percent: of text, and of blocks with only a formula."""

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
    document.setDefaultFont(theme.font())
    document.setDocumentMargin(theme.px(12))
    document.setIndentWidth(theme.px(20))
    writer = _Writer(document, theme, page, pictures)
    writer.title(page.title)
    for block in page.blocks:
        writer.block(block)
    return writer.written


class _Writer:
    def __init__(
        self, document: QTextDocument, theme: Theme, page: GuidePage, pictures: PagePictures
    ) -> None:
        self.written = WrittenPage()
        self._document, self._theme, self._page = document, theme, page
        self._look, self._pictures = PageStyle(theme, page.name), pictures
        self._cursor = QTextCursor(document)
        self._fresh = True

    def title(self, title: str) -> None:
        self._begin(0, 4)
        self._cursor.insertText(title, self._look.heading(1))

    def block(self, block: PageBlock) -> None:
        text = self._look.text()
        match block:
            case PageHeading():
                self._begin(14, 2, heading=block.level)
                self._spans(block.spans, self._look.heading(block.level))
            case Paragraph(aside=True):
                self._begin(6, 6, left=10, ground=True)
                self._spans(block.spans, text)
            case Paragraph():
                self._begin(4, 6)
                self._spans(block.spans, text)
            case Listing():
                self._listing(block)
            case CodeBlock():
                self._code(block)
            case DisplayFormula():
                self._begin(6, 8, left=10, line=_SINGLE)
                self._formula(block.formula, text, display=True)
            case GraphFigure():
                self._begin(6, 8, line=_SINGLE)
                self._graph(block)
            case PageTable():
                self._table(block)

    def _begin(
        self,
        above: int,
        below: int,
        *,
        left: int = 0,
        ground: bool = False,
        heading: int = 0,
        line: int = _HEIGHT,
    ) -> None:
        """Start a new block, reusing the document's first, empty one."""
        made = QTextBlockFormat()
        px = self._theme.px
        made.setTopMargin(px(above))
        made.setBottomMargin(px(below))
        made.setLeftMargin(px(left))
        made.setLineHeight(line, QTextBlockFormat.LineHeightTypes.ProportionalHeight.value)
        made.setHeadingLevel(heading)
        if ground:
            made.setBackground(self._theme.color("raised"))
        if self._fresh:
            self._cursor.setBlockFormat(made)
            self._fresh = False
        else:
            self._cursor.insertBlock(made, self._look.text())

    def _listing(self, block: Listing) -> None:
        kind = QTextListFormat()
        styles = QTextListFormat.Style
        kind.setStyle(styles.ListDecimal if block.ordered else styles.ListDisc)
        kind.setIndent(1)
        made = None
        for item in block.items:
            self._begin(2, 4)
            if made is None:
                made = self._cursor.createList(kind)
            else:
                made.add(self._cursor.block())
            self._spans(item, self._look.text())

    def _code(self, block: CodeBlock) -> None:
        self._begin(6, 8, left=6, ground=True)
        base = self._look.code(self._look.text())
        for text, role, fact in code_pieces(block):
            made = self._look.colored(base, role)
            if fact is not None:
                made = self._look.fact(made, fact)
            self._cursor.insertText(text.replace("\n", _LINE_END), made)

    def _table(self, block: PageTable) -> None:
        self._begin(2, 2)
        kind = QTextTableFormat()
        kind.setBorder(1)
        kind.setBorderStyle(QTextFrameFormat.BorderStyle.BorderStyle_Solid)
        kind.setBorderBrush(self._theme.color("border"))
        kind.setBorderCollapse(True)
        kind.setCellPadding(self._theme.px(4))
        kind.setHeaderRowCount(1)
        kind.setBottomMargin(self._theme.px(10))
        rows = (block.header, *block.rows)
        table = self._cursor.insertTable(len(rows), len(block.header), kind)
        for row, cells in enumerate(rows):
            for column, cell in enumerate(cells):
                self._cursor = table.cellAt(row, column).firstCursorPosition()
                text = self._look.text()
                self._spans(cell, text if row else self._look.stressed(text, strong=True))
        self._cursor = table.lastCursorPosition()
        self._cursor.movePosition(QTextCursor.MoveOperation.NextBlock)
        # The empty block that follows every table is used for the next contents.
        self._fresh = True

    def _spans(self, spans: tuple[PageSpan, ...], base: QTextCharFormat) -> None:
        for span in spans:
            self._span(span, base)

    def _span(self, span: PageSpan, base: QTextCharFormat) -> None:
        match span:
            case PlainWords():
                self._cursor.insertText(span.text, base)
            case RunFact():
                self._cursor.insertText(span.text, self._look.fact(base, span))
            case InlineCode():
                self._spans(span.parts, self._look.code(base))
            case InlineFormula():
                self._formula(span, base, display=False)
            case EmphasizedText():
                self._spans(span.spans, self._look.stressed(base, strong=span.strong))
            case Link():
                self._link(span, base)

    def _link(self, link: Link, base: QTextCharFormat) -> None:
        if link.kind == "step":
            number = int(link.target.partition("/")[0])
            self.written.steps.append((self._cursor.blockNumber(), number))
        self._spans(link.spans, self._look.link(base, link))

    def _formula(self, formula: InlineFormula, base: QTextCharFormat, *, display: bool) -> None:
        picture = self._pictures.get((formula.latex, display))
        if picture is None:
            # Raw LaTeX would only flash, but it keeps some space for the picture.
            made = self._look.code(base)
            made.setForeground(Qt.GlobalColor.transparent)
            self._cursor.insertText(formula.latex, made)
            return
        made = self._image(
            picture, base, f"formula:{'display' if display else 'inline'}:{formula.latex}"
        )
        places = QTextCharFormat.VerticalAlignment
        made.setVerticalAlignment(places.AlignMiddle if picture.centred else places.AlignNormal)
        sources = (self._look.source(fact) for fact in formula.facts)
        made.setToolTip(plain_tooltip("\n".join((formula.latex, *sources))))
        if display:
            self.written.pictures.append((self._cursor.position(), picture))
        self._cursor.insertImage(made)

    def _graph(self, figure: GraphFigure) -> None:
        picture = self._pictures.get(graph_key(self._page, figure))
        if picture is None:
            return
        made = self._image(picture, self._look.text(), graph_key(self._page, figure)[0])
        title = say("guide.graph", title=self._page.title, step=figure.step)
        made.setProperty(QTextFormat.Property.ImageAltText, title)
        made.setToolTip(plain_tooltip(title))
        self.written.pictures.append((self._cursor.position(), picture))
        self._cursor.insertImage(made)

    def _image(self, picture: PagePicture, base: QTextCharFormat, name: str) -> QTextImageFormat:
        self._document.addResource(_IMAGE, QUrl(name), picture.image)
        made = QTextImageFormat()
        made.merge(base)
        made.setName(name)
        made.setWidth(picture.width)
        made.setHeight(picture.height)
        return made


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
