"""Pictures of the story beside the maps: the code that a check is about, and plots."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from itertools import chain
from math import ceil
from pathlib import PurePath

from PySide6.QtCore import QSize
from PySide6.QtWidgets import QSizePolicy

from gradviz.analysis.index.trace_index import TraceIndex
from gradviz.document.source_excerpt import MOST_LINES, SourceExcerpt, excerpt_of
from gradviz.drawing.display.parts import RoundedRect, Shape
from gradviz.drawing.geometry.rect import Rect
from gradviz.model.jacobian_report import JacobianBlock
from gradviz.model.source import SourceFile
from gradviz.story.blocks import Block
from gradviz.story.code import CODE, LINE_HEIGHT, code_block
from gradviz.story.frame import LEAST_TEXT, Drawn, Frame
from gradviz.story.plot_stack import spoken_plot_text
from gradviz.viewer.source.source_text import text_of
from gradviz.viewer.stage.frame_view import FrameView
from gradviz.viewer.state import ViewerState
from gradviz.viewer.theme.theme import SMALL_PIXELS, UI_PIXELS

_DEFINES = re.compile(r"\s*(async\s+)?def\s")
_RETURNS = re.compile(r"\s*return\b")


@dataclass(frozen=True, slots=True, kw_only=True)
class CodePassage:
    """Lines of one function.

    Attributes:
        excerpt: The lines.
        marked: Numbers of the lines to mark.
    """

    excerpt: SourceExcerpt
    marked: frozenset[int]


def passage_of(
    index: TraceIndex, block: JacobianBlock | None, messages: Iterable[str]
) -> CodePassage | None:
    """Return the function that messages are about, with their lines marked.

    Lines of backward that a message names come first, then those in which backward computes the
    gradient, then other named lines. If no line is known, it is backward as a whole, unmarked.

    Args:
        index: The trace, with its sources.
        block: The pair, which knows the lines of backward; None if nothing was compared.
        messages: Texts in which lines are named by file name and number.
    """
    sources = {source.path: source for source in index.trace.sources}
    computing = () if block is None else block.lines
    texts = tuple(messages)
    named = [(source, line) for source in sources.values() for line in _named(source, texts)]
    known = [(sources[each.path], each.line) for each in computing if each.path in sources]
    functions = {_function(*each) for each in known}
    inside = [each for each in named if _function(*each) in functions]
    lines = inside or _without_return(known)[:1] or named
    return _passage(lines) if lines else _backward(index, sources)


def _named(source: SourceFile, texts: tuple[str, ...]) -> Iterable[int]:
    """Lines of a source that texts name, in whatever language."""
    pattern = re.compile(re.escape(PurePath(source.path).name) + r"\D{1,12}?(\d+)")
    found = chain.from_iterable(pattern.findall(text) for text in texts)
    count = len(text_of(source.text).lines)
    return [line for line in map(int, found) if 1 <= line <= count]


def _without_return(lines: list[tuple[SourceFile, int]]) -> list[tuple[SourceFile, int]]:
    """Leave out return statements, unless there is nothing else."""
    rest = [
        (source, line)
        for source, line in lines
        if not _RETURNS.match(text_of(source.text).lines[line - 1])
    ]
    return rest or lines


def _function(source: SourceFile, line: int) -> tuple[int, int, int]:
    """Return the source's number and the first and last line of the function around a line."""
    text = text_of(source.text)
    for start in range(line, 0, -1):
        if _DEFINES.match(text.lines[start - 1]):
            lines = text.function_at(start)
            if line in lines:
                # Without the decorators, which say nothing here.
                return source.id, start, lines.stop - 1
    return source.id, line, line


def _backward(index: TraceIndex, sources: dict[str, SourceFile]) -> CodePassage | None:
    """The backward of the run's only custom Function; None if there are several."""
    found = {each.backward for each in index.trace.calls if each.backward is not None}
    known = [(sources[each.path], each.line) for each in found if each.path in sources]
    if len(known) != 1:
        return None
    source, line = known[0]
    text = text_of(source.text)
    # The location can be that of a decorator.
    defined = (each for each in text.function_at(line) if _DEFINES.match(text.lines[each - 1]))
    _, first, last = _function(source, next(defined, line))
    excerpt = excerpt_of(source, range(first, last + 1), range(first, first + 1))
    return CodePassage(excerpt=excerpt, marked=frozenset())


def _passage(lines: list[tuple[SourceFile, int]]) -> CodePassage:
    source, _ = lines[0]
    _, first, last = _function(*lines[0])
    text = text_of(source.text)
    marked = {line for each, line in lines if each is source and first <= line <= last}
    statements = (range(start, stop + 1) for start, stop in map(text.statement_at, marked))
    shown = range(first, last + 1)
    whole = frozenset(chain.from_iterable(statements)) & {*shown}
    current = range(min(whole), max(whole) + 1)
    return CodePassage(excerpt=excerpt_of(source, shown, current), marked=whole)


class _BlockView(FrameView):
    """A picture that fills the width and is drawn again for another one."""

    def __init__(self, state: ViewerState) -> None:
        super().__init__(state.theme, state.preferences)
        self.setSizePolicy(QSizePolicy.Policy.Ignored, QSizePolicy.Policy.Fixed)
        self.resized.connect(self._draw)

    def update_theme(self) -> None:
        """Draw in the size of text of the theme."""
        super().update_theme()
        self.updateGeometry()
        self._draw()

    def _draw(self) -> None:
        raise NotImplementedError


class PassageView(_BlockView):
    """Shows a passage of source as on the stage, as high as it needs; nothing if there is none.

    Args:
        state: The state shared by all panels.
        most: Most rows; of a longer function, those around the marked lines are shown.

    Attributes:
        passage: The passage; None if there is none.
    """

    def __init__(self, state: ViewerState, most: int = MOST_LINES) -> None:
        super().__init__(state)
        self._most = most
        self.passage: CodePassage | None = None

    def show_passage(self, passage: CodePassage | None) -> None:
        """Show another passage, or hide."""
        self.passage = passage
        self.setVisible(passage is not None)
        self._draw()

    def _draw(self) -> None:
        passage = self.passage
        if passage is None:
            self.show_frame(None)
            return
        scale = self._theme.px(UI_PIXELS) / CODE
        width = self.width() / scale
        for most in range(self._most, 2, -1):
            block = code_block(passage.excerpt.shortened(most), width, wrong=passage.marked)
            # A wrapped line has several rows.
            if block.height <= self._most * LINE_HEIGHT:
                break
        self.setFixedHeight(ceil(block.height * scale))
        place = Rect(x=0, y=0, width=max(width, block.width), height=block.height)
        ground = Drawn(key="ground", parts=(Shape(RoundedRect(place), "raised"),))
        lines = passage.excerpt.lines
        marked = (lines[each - passage.excerpt.first].strip() for each in sorted(passage.marked))
        spoken = self.tr("Code: {lines}").format(lines="\n".join(marked))
        drawn = (ground, *block.drawn)
        self.show_frame(Frame(width=place.width, height=place.height, drawn=drawn, spoken=spoken))


DrawPlot = Callable[[tuple[float, float]], Block]
"""Draws a plot for a room of some width and height."""


class PlotView(_BlockView):
    """A plot whose texts have the size of others in the window.

    Args:
        state: The state shared by all panels.
        height: Height of the picture, in units of a slide.
        grows: Whether it becomes as high as a drawing needs that is not fitted to the height.
    """

    def __init__(self, state: ViewerState, height: float, *, grows: bool = False) -> None:
        super().__init__(state)
        self._least = self._height = height
        self._grows = grows
        self._plot: DrawPlot | None = None

    def show_plot(self, plot: DrawPlot | None, details: str = "") -> None:
        """Show a plot.

        Args:
            plot: Draws it; None for none.
            details: Its numbers, for people who cannot see it.
        """
        self._plot = plot
        self.setAccessibleDescription(details)
        self._draw()

    def sizeHint(self) -> QSize:
        """Fixed height; the width is flexible."""
        return QSize(200, ceil(self._height * self._scale))

    @property
    def _scale(self) -> float:
        """Pixels for each unit of a slide: its smallest text is as small as others here."""
        return self._theme.px(SMALL_PIXELS) / LEAST_TEXT

    def _draw(self) -> None:
        if self._plot is None:
            self.show_frame(None)
            return
        size = self.width() / self._scale, self.height() / self._scale
        drawn = self._plot(size)
        if self._grows and self._height != max(self._least, drawn.height):
            self._height = max(self._least, drawn.height)
            self.updateGeometry()
        width, height = max(size[0], drawn.width), max(size[1], drawn.height)
        spoken = spoken_plot_text(drawn) or self.accessibleDescription()
        self.show_frame(Frame(width=width, height=height, drawn=drawn.drawn, spoken=spoken))
