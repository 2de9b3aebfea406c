"""What quiz mode may show of the scene `linear`, whose nodes run in steps 4 and 5."""

from __future__ import annotations

import pytest
from msgspec.structs import replace

from gradviz.analysis.index.trace_index import TraceIndex, index_trace
from gradviz.analysis.position.trace_position import TracePosition
from gradviz.analysis.revealed_trace import RevealedTrace
from gradviz.model.finding import Finding
from gradviz.text.narration import describe_position, describe_revealed
from tests.builders import linear_trace


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
