"""Source rules: near misses that break no rule, and the locations of violations."""

from __future__ import annotations

import pytest

from gradviz.linter.source_findings import source_findings

HEAD = """\
from torch.autograd import Function


class F(Function):
"""
FORWARD = """\
    @staticmethod
    def forward(ctx, x):
        ctx.save_for_backward(x)
        return x * x

"""


def codes(body: str, forward: str = FORWARD) -> list[str]:
    return [each.code for each in source_findings(HEAD + forward + body)]


def backward(*lines: str, parameters: str = "ctx, g") -> str:
    body = "".join(f"        {line}\n" for line in lines)
    return f"    @staticmethod\n    def backward({parameters}):\n{body}"


@pytest.mark.parametrize(
    "body",
    [
        backward("x, = ctx.saved_tensors", "return 2 * x * g"),
        backward("x, = ctx.saved_variables", "return 2 * x * g"),
        # A copy may be changed.
        backward("g = g.clone()", "g *= ctx.saved_tensors[0]", "return g"),
        backward("g.requires_grad_()", "return g * ctx.saved_tensors[0]"),
        # The number of values cannot be read.
        backward("return other(ctx.saved_tensors, g)"),
        backward("grads = [g] * len(ctx.saved_tensors)", "return *grads, None"),
        backward("return (g * ctx.saved_tensors[0],) + (None,) * 0"),
        # Derivatives of zero need no incoming gradient.
        backward("x, = ctx.saved_tensors", "return x.new_zeros(x.shape)"),
        backward("_, = ctx.saved_tensors", "return None"),
        backward("x, = ctx.saved_tensors", "raise NotImplementedError(x)"),
        # What only decides a branch does not enter the gradient.
        backward(
            "x, = ctx.saved_tensors", "if g.sum().item() == 0:", "    return None", "return g * x"
        ),
        # The context goes elsewhere, where the tensors may be read.
        backward("return helper(ctx, g)"),
    ],
)
def test_what_breaks_no_rule(body: str) -> None:
    assert codes(body) == []


def test_one_call_to_save_in_each_branch() -> None:
    forward = """\
    @staticmethod
    def forward(ctx, x, flag):
        if flag:
            ctx.save_for_backward(x)
            return x
        ctx.save_for_backward(x, x)
        return x * x

"""
    assert codes(backward("return g * ctx.saved_tensors[0], None"), forward) == []


def test_open_numbers_of_inputs_are_not_counted() -> None:
    for parameters in ("ctx, *xs", "ctx, x, scale=1"):
        forward = f"""\
    @staticmethod
    def forward({parameters}):
        return x

"""
        assert codes(backward("return g, None, None, None"), forward) == []


@pytest.mark.parametrize(
    ("line", "written"),
    [
        ("g *= 2", True),
        ("g[0] = 0", True),
        ("g[0] += 1", True),
        ("g.mul_(2)", True),
        ("torch.mul(g, 2, out=g)", True),
        ("h = g * 2", False),
        ("g.to_dense", False),
        ("ctx.g = g", False),
    ],
)
def test_writes_to_the_incoming_gradient(line: str, written: bool) -> None:
    found = source_findings(HEAD + FORWARD + backward(line, "return g * ctx.saved_tensors[0]"))
    assert [(each.code, each.line) for each in found] == (
        [("grad_output_modified", 12)] if written else []
    )


def test_classes_are_found_through_other_classes() -> None:
    source = """\
import torch


class Base(torch.autograd.Function):
    @staticmethod
    def forward(ctx, x):
        return x * 2


class Derived(Base):
    @staticmethod
    def backward(ctx, g):
        g *= 2
        return g


class Other:
    def backward(ctx, g):
        g *= 2
"""
    (found,) = source_findings(source)
    assert (found.function, found.code, found.line) == ("Derived", "grad_output_modified", 13)


def test_a_file_that_cannot_be_parsed_has_no_findings() -> None:
    assert source_findings("class F(Function:\n") == ()
