"""Positions survive a round trip through text; invalid paths are reported."""

import pytest

from gradviz.analysis.index.trace_index import index_trace
from gradviz.analysis.position.navigation import nearest_at_level, next_place
from gradviz.analysis.position.position_paths import (
    UnknownPositionError,
    is_position_path,
    position_at_path,
    position_path,
)
from gradviz.analysis.position.trace_position import LEVELS, TracePosition
from tests.inside_builder import inside_trace

INDEX = index_trace(inside_trace())


def test_paths() -> None:
    assert position_path(TracePosition(step=5)) == "5"
    assert position_path(TracePosition(step=5, stage="backward")) == "5/backward"
    assert position_path(TracePosition(step=5, stage="backward", line=2)) == "5/backward/line3"
    assert position_path(TracePosition(step=5, stage="backward", line=2, op=1)) == "5/backward/op2"


@pytest.mark.parametrize("level", LEVELS)
def test_every_place_of_a_walk_is_found_again(level: str) -> None:
    place: TracePosition | None = nearest_at_level(INDEX, TracePosition(step=1), level)  # type: ignore[arg-type]
    count = 0
    while place is not None:
        count += 1
        assert is_position_path(position_path(place))
        assert position_at_path(INDEX, position_path(place)) == place
        place = next_place(INDEX, place, level)  # type: ignore[arg-type]
    assert count >= 2


WRONG = [
    ("9", "There is no step 9; this trace has steps 1 to 8."),
    ("3/backward", "Step 3 has no stage backward."),
    ("5/forward/op1", "Step 5 has no stage forward."),
    ("5/backward/line10", "Nothing was recorded at 5/backward/line10."),
    ("5/backward/op9", "Nothing was recorded at 5/backward/op9."),
    ("1/save/op1", "Nothing was recorded at 1/save/op1."),
]
FORMLESS = [
    "",
    "0",
    "x",
    "5/",
    "5/back",
    "5/backward/",
    "5/backward/3",
    "5/backward/op0",
    "\N{ARABIC-INDIC DIGIT FIVE}",
]


@pytest.mark.parametrize(("path", "message"), WRONG)
def test_what_is_not_there(path: str, message: str) -> None:
    assert is_position_path(path)
    with pytest.raises(UnknownPositionError) as caught:
        position_at_path(INDEX, path)
    assert str(caught.value) == message


@pytest.mark.parametrize("path", FORMLESS)
def test_what_is_no_path(path: str) -> None:
    assert not is_position_path(path)
    with pytest.raises(UnknownPositionError, match="is not a place in a run; use a step such as 5"):
        position_at_path(INDEX, path)
