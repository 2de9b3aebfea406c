"""Which modules own a parameter or another module, found out with and without a look at all."""

from __future__ import annotations

import tempfile
from collections.abc import Callable
from pathlib import Path
from typing import Any
from unittest.mock import patch

import torch
from hypothesis import given, settings
from hypothesis import strategies as st
from torch import nn

from gradviz.recorder import tensor_names
from tests.recorder.recorded_run import RecordedRun, record_run


class Inside(nn.Module):
    def __init__(self, part: nn.Module) -> None:
        super().__init__()
        self.none = None
        self.part = part


class Hostile(dict[Any, Any]):
    """A dict that lets nobody look into it."""

    def refuse(self, *_: Any) -> Any:
        raise AssertionError

    values = items = keys = __iter__ = __len__ = refuse
    __class__ = property(refuse)


class Held:
    def __init__(self, value: object) -> None:
        self.value = value
        vars(self)["again"] = value


OWNERS: dict[str, Callable[[nn.Module], nn.Module]] = {
    "sequential": nn.Sequential,
    "list": lambda part: nn.ModuleList([nn.ReLU(), part]),
    "dict": lambda part: nn.ModuleDict({"key": part}),
    "attribute": Inside,
}
HOLDERS: dict[str, Callable[[object], object]] = {
    "list": lambda value: [value],
    "dict": lambda value: {"a": value, "b": None},
    "mixed": lambda value: {"a": value, "b": 1},
    "key": lambda value: {value: 1},
    "hostile": lambda value: Hostile(a=value),
    "object": Held,
}


class Uses(nn.Module):
    """Uses a parameter that it may not have registered."""

    def __init__(self, weight: nn.Parameter) -> None:
        super().__init__()
        self.held = [weight]

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        return x * self.held[0]


def found(run: Callable[[], object]) -> tuple[set[str], list[str]]:
    """Names of leaves and messages of findings."""
    with tempfile.TemporaryDirectory() as folder:
        recording: RecordedRun = record_run(Path(folder), run)
    leaves = {each.variable_name for each in recording.trace.nodes if each.kind == "accumulate"}
    return leaves, [each.message for each in recording.trace.findings]


@given(
    st.lists(st.sampled_from(sorted(OWNERS)), max_size=3),
    st.lists(st.sampled_from(sorted(HOLDERS)), max_size=2),
    st.booleans(),
)
@settings(max_examples=40)
def test_a_part_has_its_path_however_it_is_searched_for(
    owners: list[str], holders: list[str], is_shared: bool
) -> None:
    part = root = nn.Linear(2, 1)
    weight = nn.Parameter(torch.ones(2))
    for each in owners:
        root = OWNERS[each](root)  # type: ignore[assignment]
    if is_shared:
        root.register_parameter("shared", weight)
    kept = [HOLDERS[each](value) for each in holders for value in (part, weight)]
    user = Uses(weight)

    def run() -> None:
        part(torch.ones(1, 2)).sum().backward()
        user(torch.ones(2)).sum().backward()

    quick = found(run)
    with patch.object(tensor_names, "_may_be_registered", return_value=True):
        assert found(run) == quick
    assert any("registered" in each for each in quick[1]) is not is_shared
    assert len(kept) == 2 * len(holders)
