"""What the handout shows of a stop, and what it keeps for the answers."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property

from gradviz.analysis.arithmetic.element_arithmetic import ArithmeticFinder
from gradviz.analysis.arithmetic.telling_elements import named_element
from gradviz.analysis.compare.run_comparison import RunComparison, compare_runs
from gradviz.analysis.index.step_queries import phase_of, step_at
from gradviz.analysis.index.trace_index import TraceIndex
from gradviz.analysis.position.trace_position import TracePosition
from gradviz.analysis.quiz_answers import has_quiz_answer
from gradviz.analysis.revealed_trace import RevealedTrace
from gradviz.catalogue.language import format_count
from gradviz.catalogue.messages import say
from gradviz.document.source_excerpt import SourceExcerpt, source_excerpt
from gradviz.drawing.appearance.palette import Paint
from gradviz.drawing.graphviz.layout_engine import LayoutError
from gradviz.export.check.svg import check_picture
from gradviz.export.check.verdict import diagnosis_sentence, outcome_sentence
from gradviz.export.errors import ExportError
from gradviz.export.graph.svg import graph_pictures, laid_out_graph
from gradviz.export.graph.svg_document import SvgPicture
from gradviz.export.graph.svg_elements import svg_element, svg_moved
from gradviz.export.graph.svg_figure import LaidOutGraph
from gradviz.export.handout.page_layout import PageColumn
from gradviz.lesson.facts import shown_text
from gradviz.lesson.lesson import AHEAD, ANSWER, LessonStop
from gradviz.lesson.selection import place_of
from gradviz.model.jacobian_report import JacobianReport
from gradviz.model.tensor import TensorValues
from gradviz.text.arithmetic import arithmetic_text
from gradviz.text.compare import comparison_summary
from gradviz.text.narration import describe_position, describe_revealed
from gradviz.text.titles import origin_title, with_display_title


@dataclass(frozen=True, kw_only=True)
class StopRun:
    """The run of one or more stops.

    Attributes:
        index: The trace.
        values: Reads the elements of a tensor by id.
        other: The run that it is compared with, or a sentence that says why it is missing.
    """

    index: TraceIndex
    values: TensorValues
    other: StopRun | str | None = None

    @cached_property
    def drawing(self) -> LaidOutGraph | str:
        """The graph, laid out once for all stops, or a sentence that says why there is none."""
        try:
            return laid_out_graph(self.index, self.values)
        except (ExportError, LayoutError) as error:
            return str(error)

    @cached_property
    def comparison(self) -> RunComparison | str:
        """The comparison with the other run, or a sentence that says why it is missing."""
        if isinstance(self.other, StopRun):
            return compare_runs(self.index, self.other.index)
        return "" if self.other is None else say("handout.no_other", reason=self.other)


@dataclass(frozen=True, slots=True, kw_only=True)
class StopContent:
    """What the handout has about a stop; texts may be empty.

    Attributes:
        headline: What the stop is about.
        where: Its run and step.
        problem: Why something is missing.
        sentence: What happens in the step, or what the audience should guess.
        verdict: The result of a comparison.
        picture: The graph, the graphs of both compared runs, or the Jacobians.
        code: The source around the place.
        question: The question to the audience.
        answers: What the stop hides and its solution says, for the end of the handout.
        place: Its place; None if there is no run.
        hides_answer: Whether what its step computes is hidden.
    """

    headline: str
    where: str = ""
    problem: str = ""
    sentence: str = ""
    verdict: str = ""
    picture: SvgPicture | None = None
    code: SourceExcerpt | None = None
    question: str = ""
    answers: tuple[str, ...] = ()
    place: TracePosition | None = None
    hides_answer: bool = False


def stop_content(stop: LessonStop, run: StopRun | str, paint: Paint) -> StopContent:
    """Collect what the handout shows of a stop.

    Args:
        stop: The stop.
        run: Its run, or a sentence that says why there is none.
        paint: Returns the color of a role.
    """
    question = shown_text(stop.question)
    # A lesson without solutions may have them in its notes.
    noted = shown_text(stop.solution or (stop.notes if question else ""))
    written = (noted,) if noted else ()
    if isinstance(run, str):
        headline = shown_text(stop.headline) or stop.run
        problem = say("handout.no_run", reason=run)
        return StopContent(headline=headline, problem=problem, question=question, answers=written)
    index = run.index
    place, problem = place_of(index, stop)
    revealed = _revealed(index, stop, place)
    picture = _check_picture(stop, run, paint)
    if picture is None:
        picture, reason = _graph_picture(run, place, revealed, paint)
        problem = problem or reason
    found, verdict = run.comparison, ""
    if isinstance(found, str):
        problem = problem or found
    else:
        picture, reason = _compared_picture(stop, run, found, place, picture, paint)
        problem = problem or reason
        if not stop.question and revealed.is_complete:
            verdict = comparison_summary(found)
    sentence = describe_position(index, place)
    asked = describe_revealed(revealed, place) if revealed.hides_answer else sentence
    hides_verdict = revealed.hides_answer or not revealed.is_complete
    answers = (*_recorded_answers(run, stop, place, hides_verdict=hides_verdict), *written)
    return StopContent(
        headline=shown_text(stop.headline) or origin_title(index.trace.origin),
        where=_where(index, place),
        problem=problem,
        sentence=asked,
        verdict=verdict,
        picture=picture,
        code=source_excerpt(index, place),
        question=question,
        answers=answers if asked == sentence else (sentence, *answers),
        place=place,
        hides_answer=revealed.hides_answer,
    )


def _revealed(index: TraceIndex, stop: LessonStop, place: TracePosition) -> RevealedTrace:
    """What the stop shows when the audience first sees it."""
    if ANSWER in stop.hide and has_quiz_answer(step_at(index, place.step)):
        return RevealedTrace.before_answer(index, place.step)
    if AHEAD in stop.hide:
        return RevealedTrace(index=index, until=place.step)
    return RevealedTrace.of_all(index)


def _where(index: TraceIndex, place: TracePosition) -> str:
    step, total = step_at(index, place.step), format_count(len(index.trace.steps))
    title = origin_title(index.trace.origin)
    if step is None:
        return title
    number = format_count(place.step)
    where = say("drawing.step", number=number, total=total, phase=phase_of(step))
    return say("handout.where", title=title, where=where)


def _graph_picture(
    run: StopRun, place: TracePosition, revealed: RevealedTrace, paint: Paint
) -> tuple[SvgPicture | None, str]:
    """The graph of a run at a position, or None with a sentence that says why."""
    drawing = run.drawing
    if isinstance(drawing, str):
        return None, drawing
    return next(graph_pictures(drawing, (place.step,), paint, revealed)), ""


def _compared_picture(
    stop: LessonStop,
    run: StopRun,
    found: RunComparison,
    place: TracePosition,
    left: SvgPicture | None,
    paint: Paint,
) -> tuple[SvgPicture | None, str]:
    """The graphs of both runs side by side; that of the left run if it has no counterpart."""
    assert isinstance(run.other, StopRun)
    number = found.pairs.right(place.step)
    if number is None:
        return left, say("handout.no_counterpart", title=origin_title(found.right.trace.origin))
    at = TracePosition(step=number)
    revealed = _revealed(found.right, stop, at)
    right, problem = _graph_picture(run.other, at, revealed, paint)
    if left is None or right is None:
        return left, problem
    captions = (
        say("handout.left", where=_where(found.left, place)),
        say("handout.right", where=_where(found.right, at)),
    )
    return draw_side_by_side((left, right), captions, paint), ""


def _check_picture(stop: LessonStop, run: StopRun, paint: Paint) -> SvgPicture | None:
    """The Jacobians if the stop is about them and they were checked."""
    report = _report(run.index, stop)
    if report is None:
        return None
    # The diagnosis could answer the question. Without pairs, there is nothing else to show.
    captioned = not (stop.question and report.blocks)
    return check_picture(report, run.values, paint, captioned=captioned)


def _report(index: TraceIndex, stop: LessonStop) -> JacobianReport | None:
    """The check that the stop shows."""
    trace = index.trace
    if stop.tab != "jacobians" or not trace.reports:
        return None
    return with_display_title(trace.reports[-1], trace.origin)


def _recorded_answers(
    run: StopRun, stop: LessonStop, place: TracePosition, *, hides_verdict: bool
) -> Iterator[str]:
    """The arithmetic that the stop shows with a click, and what its check or comparison found."""
    index = run.index
    report = _report(index, stop)
    if report is not None and stop.question:
        yield outcome_sentence(report)
        yield from (diagnosis_sentence(report, each) for each in report.diagnoses)
    if not isinstance(run.comparison, str) and (stop.question or hides_verdict):
        yield comparison_summary(run.comparison)
    if stop.arithmetic:
        finder = ArithmeticFinder(index)
        element = named_element(index, finder, place, stop.arithmetic)
        found = None if element is None else finder.find(place, *element)
        if found is not None:
            yield arithmetic_text(index, found, place.step).line


_GAP = 28.0


def draw_side_by_side(
    pictures: tuple[SvgPicture, SvgPicture], captions: tuple[str, str], paint: Paint
) -> SvgPicture:
    """Draw two pictures beside each other, each below its caption and with a line between."""
    columns = [_captioned(*each, paint) for each in zip(pictures, captions, strict=True)]
    left, right = columns
    height = max(each.y for each in columns)
    line = svg_element("path", d=f"M{left.width + _GAP:.1f} 0v{height:.1f}", stroke=paint("border"))
    inside = "\n".join((left.inside, line, svg_moved(right.inside, left.width + 2 * _GAP, 0)))
    return SvgPicture(inside=inside, width=left.width + 2 * _GAP + right.width, height=height)


def _captioned(picture: SvgPicture, caption: str, paint: Paint) -> PageColumn:
    column = PageColumn(paint, picture.width)
    column.text(caption, size=13, style="label", most=2)
    column.y += 6
    column.put(picture.inside, 0, picture.height)
    return column
