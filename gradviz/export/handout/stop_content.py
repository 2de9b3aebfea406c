"""What the handout shows of a stop, and what it keeps for the answers."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property

from gradviz.analysis.arithmetic.element_arithmetic import ArithmeticFinder
from gradviz.analysis.arithmetic.telling_elements import named_element
from gradviz.analysis.index.step_queries import phase_of, step_at
from gradviz.analysis.index.trace_index import TraceIndex
from gradviz.analysis.position.position_paths import UnknownPositionError, position_at_path
from gradviz.analysis.position.trace_position import TracePosition
from gradviz.analysis.quiz_answers import has_quiz_answer
from gradviz.analysis.revealed_trace import RevealedTrace
from gradviz.catalogue.language import format_count
from gradviz.catalogue.messages import say
from gradviz.drawing.appearance.palette import Paint
from gradviz.drawing.graphviz.layout_engine import LayoutError
from gradviz.export.check.svg import check_picture
from gradviz.export.check.verdict import diagnosis_sentence, outcome_sentence
from gradviz.export.errors import ExportError
from gradviz.export.graph.svg import graph_pictures, laid_out_graph
from gradviz.export.graph.svg_document import SvgPicture
from gradviz.export.graph.svg_figure import LaidOutGraph
from gradviz.export.handout.source_excerpt import SourceExcerpt, source_excerpt
from gradviz.lesson.facts import shown_text
from gradviz.lesson.lesson import AHEAD, ANSWER, LessonStop
from gradviz.model.jacobian_report import JacobianReport
from gradviz.model.tensor import TensorValues
from gradviz.text.arithmetic import arithmetic_text
from gradviz.text.narration import describe_position, describe_revealed
from gradviz.text.titles import origin_title, with_display_title


@dataclass(frozen=True, kw_only=True)
class StopRun:
    """The run of one or more stops.

    Attributes:
        index: The trace.
        values: Reads the elements of a tensor by id.
    """

    index: TraceIndex
    values: TensorValues

    @cached_property
    def drawing(self) -> LaidOutGraph | str:
        """The graph, laid out once for all stops, or a sentence that says why there is none."""
        try:
            return laid_out_graph(self.index, self.values)
        except (ExportError, LayoutError) as error:
            return str(error)


@dataclass(frozen=True, slots=True, kw_only=True)
class StopContent:
    """What the handout has about a stop; texts may be empty.

    Attributes:
        headline: What the stop is about.
        where: Its run and step.
        problem: Why something is missing.
        sentence: What happens in the step, or what the audience should guess.
        picture: The graph or the Jacobians.
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
    picture: SvgPicture | None = None
    code: SourceExcerpt | None = None
    question: str = ""
    answers: tuple[str, ...] = ()
    place: TracePosition | None = None
    hides_answer: bool = False


def stop_content(
    stop: LessonStop, run: StopRun | str, paint: Paint, *, has_legend: bool = True
) -> StopContent:
    """Collect what the handout shows of a stop.

    Args:
        stop: The stop.
        run: Its run, or a sentence that says why there is none.
        paint: Returns the color of a role.
        has_legend: Whether there is a legend below the graph.
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
    place, problem = _place_of(index, stop)
    revealed = _revealed(index, stop, place)
    picture = _check_picture(stop, run, paint)
    if picture is None:
        drawing = run.drawing
        if isinstance(drawing, str):
            problem = problem or drawing
        else:
            at = (place.step,)
            picture = next(graph_pictures(drawing, at, paint, revealed, has_legend=has_legend))
    sentence = describe_position(index, place)
    asked = describe_revealed(revealed, place) if revealed.hides_answer else sentence
    answers = (*_recorded_answers(index, stop, place), *written)
    return StopContent(
        headline=shown_text(stop.headline) or origin_title(index.trace.origin),
        where=_where(index, place),
        problem=problem,
        sentence=asked,
        picture=picture,
        code=source_excerpt(index, place),
        question=question,
        answers=answers if asked == sentence else (sentence, *answers),
        place=place,
        hides_answer=revealed.hides_answer,
    )


def _place_of(index: TraceIndex, stop: LessonStop) -> tuple[TracePosition, str]:
    """The place of a stop; if the run lacks it, its step or the first one, and a sentence."""
    try:
        return position_at_path(index, stop.step or "1"), ""
    except UnknownPositionError as error:
        found = stop.number if stop.number <= len(index.trace.steps) else 1
        return TracePosition(step=found), str(error)


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


def _recorded_answers(index: TraceIndex, stop: LessonStop, place: TracePosition) -> Iterator[str]:
    """The arithmetic that the stop shows with a click, and what its check found."""
    report = _report(index, stop)
    if report is not None and stop.question:
        yield outcome_sentence(report)
        yield from (diagnosis_sentence(report, each) for each in report.diagnoses)
    if stop.arithmetic:
        finder = ArithmeticFinder(index)
        element = named_element(index, finder, place, stop.arithmetic)
        found = None if element is None else finder.find(place, *element)
        if found is not None:
            yield arithmetic_text(index, found, place.step).line
