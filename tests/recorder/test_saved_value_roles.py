"""The roles of saved values, also of very many."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
import torch
from torch.autograd import Function

from gradviz.recorder.forward.ctx_declarations import SavedValueRoles
from gradviz.recorder.tensors import tensor_compat
from tests.recorder.recorded_run import record_run


def test_first_place_counts() -> None:
    x, y = torch.ones(2), torch.ones(2)
    roles = SavedValueRoles((x, 3, None, x, y), (y, out := x + 1))
    assert roles.role(x) == ("input", 0)
    assert roles.role(3) == ("input", 1)
    assert roles.role(None) == ("none", None)
    assert roles.role(y) == ("input", 4)
    assert roles.role(out) == ("output", 1)
    assert roles.role(y[1:]) == ("view_of_input", 4)
    assert roles.role(x + 2) == ("intermediate", None)
    assert roles.role("text") == ("intermediate", None)
    assert roles.role(x.to_sparse()) == ("intermediate", None)


@pytest.mark.parametrize("kind", ["inputs", "intermediates"])
def test_work_grows_with_the_number_of_values(kind: str, monkeypatch: pytest.MonkeyPatch) -> None:
    looked_at: list[torch.Tensor] = []
    unwrap = tensor_compat.unwrap

    def counted(tensor: torch.Tensor) -> torch.Tensor:
        looked_at.append(tensor)
        return unwrap(tensor)

    monkeypatch.setattr(tensor_compat, "unwrap", counted)
    arguments = tuple(torch.ones(500, 1).unbind())
    saved = arguments if kind == "inputs" else tuple([each + 1 for each in arguments])
    roles = SavedValueRoles(arguments, ())
    for each in saved:
        roles.role(each)
    assert len(looked_at) == 1000


class _Product(Function):
    @staticmethod
    def backward(ctx: Any, grad: torch.Tensor) -> Any:
        x, y, *_ = ctx.saved_tensors
        return grad * y, grad * x


class _Named(_Product):
    @staticmethod
    def forward(ctx: Any, x: torch.Tensor, y: torch.Tensor) -> torch.Tensor:
        ctx.save_for_backward(x, y, x.view(-1))
        return x * y


class _Starred(_Product):
    @staticmethod
    def forward(ctx: Any, x: torch.Tensor, y: torch.Tensor) -> torch.Tensor:
        kept = y, x.view(-1)
        ctx.save_for_backward(x, *kept)
        return x * y


class _Unnamed(_Product):
    @staticmethod
    def forward(ctx: Any, x: torch.Tensor, y: torch.Tensor) -> torch.Tensor:
        ctx.save_for_backward(*[x, y, x.view(-1)])
        return x * y


class _Either(_Product):
    @staticmethod
    def forward(ctx: Any, x: torch.Tensor, y: torch.Tensor) -> torch.Tensor:
        kept = x, y, x.view(-1)
        if x.dim():
            ctx.save_for_backward(*kept)
        else:
            ctx.save_for_backward(y, x, y)
        return x * y


@pytest.mark.parametrize(
    ("function", "names", "view"),
    [
        (_Named, ["x", "y", "x.view(-1)"], "x.view(-1)"),
        (_Starred, ["x", "kept[0]", "kept[1]"], "kept[1]"),
        # Without a name of its own, an input has that of its argument, and a view has none.
        (_Unnamed, ["x", "y", "saved 2"], "argument 3 of save_for_backward"),
        (_Either, ["x", "y", "saved 2"], "argument 3 of save_for_backward"),
    ],
)
def test_saved_values_have_names_that_the_source_has(
    function: Any, names: list[str], view: str, tmp_path: Path
) -> None:
    x, y = torch.ones(2, 2, requires_grad=True), torch.ones(2, 2, requires_grad=True)
    trace = record_run(tmp_path, lambda: function.apply(x, y).sum().backward()).trace
    assert [slot.item.name for slot in trace.saved if slot.role != "none"][:3] == names
    (finding,) = [each for each in trace.findings if each.code == "saved_intermediate"]
    assert f" saves {view}, which is a view of the input x" in finding.message
