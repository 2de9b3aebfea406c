"""The roles of saved values, also of very many."""

from __future__ import annotations

import pytest
import torch

from gradviz.recorder.forward.ctx_declarations import SavedValueRoles
from gradviz.recorder.tensors import tensor_compat


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
