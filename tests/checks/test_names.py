"""Arguments have the names of the function's parameters."""

from __future__ import annotations

from typing import Any

import pytest
import torch
from torch.autograd import Function

from gradviz.checks.names import argument_names, function_class, has_setup_context, output_names
from gradviz.gallery.scenes.linear import LinearFunction as Merged
from gradviz.gallery.scenes.linear_split import LinearFunction as Split


class Collecting(Function):
    @staticmethod
    def forward(ctx: Any, first: Any, *rest: Any) -> Any:
        return first


def plain(x: Any, /, y: Any, *, flag: bool = False) -> Any:
    return x


def test_the_function_behind_a_callable() -> None:
    assert function_class(Merged) is Merged
    assert function_class(Merged.apply) is Merged
    assert function_class(plain) is None
    assert function_class(torch.nn.Linear(1, 1).apply) is None


def test_the_two_styles_are_distinguished() -> None:
    assert has_setup_context(Split)
    assert not has_setup_context(Merged)


@pytest.mark.parametrize(
    ("target", "names"),
    [
        (Merged, ("input", "weight", "bias")),
        (Merged.apply, ("input", "weight", "bias")),
        (Split, ("input", "weight", "bias")),
        (Collecting, ("first", "rest[0]", "rest[1]")),
        (plain, ("x", "y", "argument 2")),
        (torch.nn.Linear(2, 2), ("input", "argument 1", "argument 2")),
        (torch.mul, ("argument 0", "argument 1", "argument 2")),
    ],
)
def test_names(target: Any, names: tuple[str, ...]) -> None:
    assert argument_names(target, 3) == names


def test_arguments_left_out_have_no_name() -> None:
    assert argument_names(Merged, 2) == ("input", "weight")


def test_outputs_are_numbered_where_there_are_several() -> None:
    assert output_names((1,)) == ("output",)
    assert output_names((1, 2)) == ("output 0", "output 1")
