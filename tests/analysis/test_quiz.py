"""Quiz mode: what is hidden, and which answers are right."""

from __future__ import annotations

import pytest
from msgspec.structs import replace

from gradviz.analysis.index.trace_index import TraceIndex, index_trace
from gradviz.analysis.position.trace_position import TracePosition
from gradviz.analysis.quiz_answers import has_quiz_answer, quiz_answer_tensors
from gradviz.analysis.revealed_trace import RevealedTrace
from gradviz.model.finding import Finding
from gradviz.model.item import none_item, tensor_item
from gradviz.model.step import NodeStep
from gradviz.model.trace import Trace
from gradviz.text.narration import (
    describe_position,
    describe_revealed,
    describe_step,
    quiz_question,
)
from tests.builders import linear_trace
from tests.viewer.traces import changed_reader

# Which values of a step are its answer in quiz mode.


def node_step(trace: Trace, number: int) -> NodeStep:
    step = trace.steps[number - 1]
    assert isinstance(step, NodeStep)
    return step


@pytest.mark.parametrize(("number", "asks"), [(1, 0), (2, 0), (3, 0), (4, 1), (5, 1), (6, 0)])
def test_only_a_node_step_has_an_answer(number: int, asks: int) -> None:
    assert has_quiz_answer(linear_trace().steps[number - 1]) is bool(asks)


def test_nothing_and_a_node_that_did_not_return_have_no_answer() -> None:
    step = replace(node_step(linear_trace(), 5), returned=(), passed=(), finished=False)
    assert not has_quiz_answer(step)
    assert not has_quiz_answer(None)
    assert quiz_answer_tensors(index_trace(linear_trace()), None) == frozenset()


def test_the_answer_is_what_is_returned_and_not_what_arrives() -> None:
    trace = linear_trace()
    index = index_trace(trace)
    assert quiz_answer_tensors(index, trace.steps[4]) == {7, 8}
    assert quiz_answer_tensors(index, trace.steps[3]) == {6}
    assert quiz_answer_tensors(index, trace.steps[5]) == frozenset()


def test_what_the_engine_makes_of_the_answer_belongs_to_it() -> None:
    trace = changed_reader().trace()
    # 30 is returned and summed to 8; 31, the made-up zeros, arrives too and so is known.
    assert quiz_answer_tensors(index_trace(trace), trace.steps[4]) == {7, 8, 30}


def test_a_gradient_that_is_an_argument_itself_is_known() -> None:
    trace = linear_trace()
    step = replace(node_step(trace, 5), returned=(tensor_item("input", 2), none_item("weight")))
    assert 2 not in quiz_answer_tensors(index_trace(trace), step)


def test_the_question_names_what_arrives_and_nothing_of_the_answer() -> None:
    trace = linear_trace()
    index = index_trace(trace)
    asked = "What does LinearFunction.backward return for grad_output 2×3 (all ones)?"
    assert quiz_question(index, trace.steps[4]) == asked
    assert (
        quiz_question(index, trace.steps[3])
        == "What does SumBackward0 pass on for grad_output = 1?"
    )
    assert quiz_question(index, trace.steps[0]) == describe_step(index, trace.steps[0])


# What quiz mode may show of the scene `linear`, whose nodes run in steps 4 and 5.


@pytest.fixture(scope="module")
def index() -> TraceIndex:
    findings = tuple(
        Finding(id=at, code="code", severity="info", message="", step=step, node=None)
        for at, step in enumerate((None, 4, 5), 1)
    )
    return index_trace(replace(linear_trace(), findings=findings))


@pytest.fixture
def hidden(index: TraceIndex) -> RevealedTrace:
    return RevealedTrace(index=index, until=4, hidden_step=5)


def test_nothing_is_hidden_of_a_whole_trace_and_of_none(index: TraceIndex) -> None:
    for revealed in (RevealedTrace.of_all(index), RevealedTrace.of_all(None), RevealedTrace()):
        assert revealed.is_complete
        assert not revealed.hides_answer
        assert revealed.hidden_tensors == frozenset()
        assert revealed.shown_nodes((1, 2)) == (1, 2)
    assert RevealedTrace().findings == ()
    assert len(RevealedTrace.of_all(index).findings) == 3


def test_a_hidden_answer_hides_its_tensors_and_all_later_steps(hidden: RevealedTrace) -> None:
    assert not hidden.is_complete
    assert hidden.hidden_tensors == {7, 8}
    assert [number for number in range(1, 9) if hidden.shows(number)] == [1, 2, 3, 4]
    assert [each.step for each in hidden.findings] == [None, 4]
    assert hidden.shown_nodes((1, 2)) == (2,)


def test_what_a_step_receives_is_known_before_what_it_computes(hidden: RevealedTrace) -> None:
    assert [hidden.shows_incoming(number) for number in (4, 5, 6)] == [True, True, False]
    assert [hidden.shows_outgoing(number) for number in (4, 5)] == [True, False]
    # A leaf's gradient is no answer of its own.
    assert hidden.shows_outgoing(6)


def test_the_sentence_is_a_question_and_nothing_for_steps_ahead(
    index: TraceIndex, hidden: RevealedTrace
) -> None:
    sentences = [describe_revealed(hidden, TracePosition(step=number)) for number in (4, 5, 6)]
    assert sentences[0] == describe_position(index, TracePosition(step=4))
    assert sentences[1].startswith("What does LinearFunction.backward return for")
    assert sentences[2] == ""
