"""Torch's own collections of ops and modules run as without a recording, in both orders."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from functools import partial
from pathlib import Path
from typing import Any

import pytest
import torch
from torch.testing._internal.common_methods_invocations import op_db
from torch.testing._internal.common_modules import module_db
from torch.utils._pytree import tree_leaves, tree_map_only

from gradviz.catalogue.finding_kinds import finding_kind
from tests.recorder.recorded_run import record_run
from tests.sweeps import thinned

PARTS, SAMPLES = 40, 3
LEVELS = ("nodes", "ops", "lines", "all")
LEFT_OUT = "ops_left_out"

Calls = Iterator[tuple[str, Callable[..., Any], tuple[Any, ...], dict[str, Any]]]


def calls_of_ops(part: int) -> Calls:
    """Ops whose results torch determines, with samples of their arguments."""
    for info in op_db[part::PARTS]:
        if torch.float32 in info.supported_dtypes("cpu") and "empty" not in info.name:
            samples = info.sample_inputs("cpu", torch.float32, info.supports_autograd)
            for each in [*samples][:SAMPLES]:
                yield info.full_name, info.op, (each.input, *each.args), each.kwargs


def calls_of_modules(part: int) -> Calls:
    """Modules, made anew for each call."""
    for info in module_db[part::PARTS]:
        for each in info.module_inputs_func(info, "cpu", torch.float32, True, True)[:SAMPLES]:
            made, given = each.constructor_input, each.forward_input
            make = partial(info.module_cls, *made.args, **made.kwargs)
            yield (
                info.name,
                lambda *args, make=make, **kw: make()(*args, **kw),
                given.args,
                given.kwargs,
            )


def observed(call: Callable[..., Any], given: tuple[Any, ...], named: dict[str, Any]) -> list[Any]:
    """What a call and two passes, the second through the first, leave."""
    torch.manual_seed(0)
    given, named = tree_map_only(torch.Tensor, fresh, (given, named))
    seen: list[Any] = tree_leaves((given, named))
    wanted = [each for each in seen if torch.is_tensor(each) and each.requires_grad]
    try:
        made = tree_leaves(call(*given, **named))
        seen += made
        if wanted and any(map(leads_back, made)):
            seen += torch.autograd.grad(norm(made), wanted, create_graph=True, allow_unused=True)
            norm(seen).backward()
    except Exception as error:  # noqa: BLE001 - errors are results, too
        seen.append(f"{type(error).__name__}: {error}")
    return [digits(each) for each in (*seen, *[each.grad for each in wanted])]


def leads_back(value: Any) -> bool:
    return torch.is_tensor(value) and value.requires_grad


def norm(values: Sequence[Any]) -> torch.Tensor:
    """A number that depends on all values that have a history."""
    return torch.stack([each.abs().sum().double() for each in values if leads_back(each)]).sum()


def fresh(tensor: torch.Tensor) -> torch.Tensor:
    return tensor.detach().clone().requires_grad_(tensor.requires_grad)


def digits(value: Any) -> Any:
    """All bits of a tensor; anything else as it is."""
    if not torch.is_tensor(value):
        return repr(value)
    flat = value.detach().to_dense().resolve_conj().resolve_neg().flatten()
    whole = flat.clone(memory_format=torch.contiguous_format)
    return [*value.shape], value.dtype, whole.view(torch.uint8).numpy().tobytes()


@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize("calls", [calls_of_ops, calls_of_modules])
@pytest.mark.parametrize("part", thinned(range(PARTS), 10))
def test_recording_changes_nothing(
    part: int, calls: Callable[[int], Calls], tmp_path: Path
) -> None:
    compared = 0
    for number, (name, call, given, named) in enumerate(calls(part)):
        plain, again = [observed(call, given, named) for _ in range(2)]
        if plain != again:
            continue
        folder = tmp_path / str(number)
        folder.mkdir()
        recorded = record_run(
            folder, partial(observed, call, given, named), level=LEVELS[number % len(LEVELS)]
        )
        assert recorded.result == plain, name
        problems = [each for each in recorded.trace.findings if finding_kind(each.code).recording]
        assert [each.message for each in problems if each.code != LEFT_OUT] == [], name
        compared += 1
    assert compared
