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
            return x.clone()
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


@pytest.mark.parametrize(
    ("lines", "written"),
    [
        (["g = g.mul_(2)"], True),
        (["torch.relu_(g)"], True),
        (["h = g.view(-1)", "h[0] = 0"], True),
        (["if not g.is_contiguous():", "    g = g.contiguous()", "g.clamp_(0, 1)"], True),
        (["h = g.unsqueeze(0)", "h.unsqueeze_(0)"], False),
        (["h = g[[0, 1]]", "h *= 2"], False),
        (["if g.dim():", "    g = g.clone()", "g.clamp_(0, 1)"], False),
    ],
)
def test_writes_through_views_of_the_incoming_gradient(lines: list[str], written: bool) -> None:
    found = codes(backward(*lines, "return g * ctx.saved_tensors[0]"))
    assert found == (["grad_output_modified"] if written else [])


@pytest.mark.parametrize(
    ("lines", "found"),
    [
        (["gs[0].mul_(2)", "return gs[0] * ctx.saved_tensors[0]"], ["grad_output_modified"]),
        (["for g in gs:", "    g *= 2", "return ctx.saved_tensors[0]"], ["grad_output_modified"]),
        (["gs += (None,)", "return gs[0] * ctx.saved_tensors[0]"], []),
        (["return 2 * ctx.saved_tensors[0]"], ["grad_output_unused"]),
        (["none = [None for each in ctx.saved_tensors]", "return tuple(none)"], []),
    ],
)
def test_gradients_in_star_arguments(lines: list[str], found: list[str]) -> None:
    assert codes(backward(*lines, parameters="ctx, *gs")) == found


@pytest.mark.parametrize(
    ("lines", "leaves"),
    [
        (["return torch.tensor(np.asarray(x) * np.asarray(g))"], True),
        (["n = x.shape[0]", "return g * x * torch.arange(n).tolist()[0]"], False),
        (["return g * x * (x == g.sum().item())"], False),
    ],
)
def test_what_leaves_autograd(lines: list[str], leaves: bool) -> None:
    found = codes(backward("(x,) = ctx.saved_tensors", *lines))
    assert found == (["missing_once_differentiable"] if leaves else [])


def test_other_ways_to_write_a_function() -> None:
    renamed = HEAD.replace("Function\n\n", "Function as Fn\n\n").replace("(Function)", "(Fn)")
    wrapped = "        return g * ctx.saved_tensors[0].detach()\n\n    backward = {}(backward)\n"
    body = backward().replace("    @staticmethod\n", "") + wrapped
    for wrapper, found in [
        ("staticmethod", ["missing_once_differentiable"]),
        ("once_differentiable", ["not_static"]),
    ]:
        source = renamed + FORWARD + body.format(wrapper)
        assert [each.code for each in source_findings(source)] == found
    outside = body.partition("    backward =")[0] + "\nF.backward = staticmethod(F.backward)\n"
    assert codes(outside) == ["missing_once_differentiable"]


def test_saved_tensors_unpacked_from_a_name() -> None:
    body = backward("saved = ctx.saved_tensors", "x, y = saved", "return g * x")
    assert codes(body) == ["saved_unused"]
    assert codes(body.replace("x, y = saved", "x, y = saved; y = saved[1]")) == []


@pytest.mark.parametrize(("end", "found"), [("pass", ["saved_twice"]), ("break", [])])
def test_a_loop_that_saves_in_each_iteration(end: str, found: list[str]) -> None:
    forward = f"""\
    @staticmethod
    def forward(ctx, x, y):
        for each in (x, y):
            ctx.save_for_backward(each)
            {end}
        return x * y

"""
    assert codes(backward("return g * ctx.saved_tensors[0], None"), forward) == found


def test_setup_context_saves_a_product() -> None:
    setup = """\
    @staticmethod
    def forward(x):
        return x * x

    @staticmethod
    def setup_context(ctx, inputs, output):
        two = 2 * inputs[0]
        ctx.save_for_backward(two)

"""
    assert codes(backward("return g * ctx.saved_tensors[0]"), setup) == [
        "saved_intermediate",
        "setup_context_computes",
    ]


def test_an_annotated_request_for_a_vmap_rule() -> None:
    vmap = """\
    generate_vmap_rule: bool = True

    @staticmethod
    def vmap(info, in_dims, x):
        return x, 0

"""
    assert "ambiguous_vmap" in codes(backward("return g * ctx.saved_tensors[0]"), FORWARD + vmap)


@pytest.mark.parametrize(
    ("lines", "found"),
    [
        (["x, = ctx.saved_tensors", "x *= g", "return x"], [13]),
        (["saved = ctx.saved_tensors", "x = saved[0].view(-1)", "x.mul_(2)", "return g * x"], [14]),
        (["ctx.saved_tensors[0].mul_(2)", "return g * ctx.saved_tensors[0]"], [12]),
        (["for x in ctx.saved_tensors:", "    torch.mul(x, g, out=x)", "return g * x"], [13]),
        (["x, = ctx.saved_tensors", "x = x.clone()", "x *= g", "return x"], []),
        (["saved = list(ctx.saved_tensors)", "saved[0] = g * 2", "return saved[0]"], []),
    ],
)
def test_writes_to_saved_tensors(lines: list[str], found: list[int]) -> None:
    findings = source_findings(HEAD + FORWARD + backward(*lines))
    assert [each.line for each in findings if each.code == "saved_modified_in_backward"] == found


@pytest.mark.parametrize(
    ("lines", "found"),
    [
        (["return g + h"], ["g", "h"]),
        (["return g.sum() if h is None else g.sum() + h.sum()"], ["g"]),
        (["if g is None or h is None:", "    return None", "return g + h"], []),
        (["if all(each is None for each in (g, h)):", "    return None", "return g + h"], []),
        (["return combine(g, h)"], []),
        (["h = zeros(ctx.shape) if h is None else h", "g = g or h", "return g + h"], []),
    ],
)
def test_gradients_that_may_be_none(lines: list[str], found: list[str]) -> None:
    for call in ("ctx.set_materialize_grads(False)", "ctx.set_materialize_grads(value=False)"):
        forward = FORWARD.replace("ctx.save_for_backward(x)", f"{call}; ctx.shape = x.shape")
        forward = forward.replace("return x * x", "return x * x, x + 1")
        findings = source_findings(HEAD + forward + backward(*lines, parameters="ctx, g, h"))
        codes = [each.code for each in findings]
        assert codes == ["undefined_gradient_unhandled"] * len(found)
        assert [each.message.split()[5] for each in findings] == found


@pytest.mark.parametrize(
    ("forward", "found"),
    [
        ("return x.t()", [7]),
        ("y = torch.transpose(x, 0, 1)\n        return y", [8]),
        ("return x", []),
        ("ctx.n = x.numel()\n        return x", []),
        ("norm = x.norm()\n        print(norm)\n        return x", []),
        ("x = x[:1]\n        return x", [8]),
        ("return x if flag else x * 2", [7]),
        ("return x.view_as(x)", []),
        ("return x.t().contiguous()", []),
        ("return x.detach()", []),
        ("ctx.mark_dirty(x.mul_(2))\n        return x", []),
    ],
)
def test_returned_views_of_inputs(forward: str, found: list[int]) -> None:
    method = FORWARD.replace("ctx.save_for_backward(x)\n        return x * x", forward)
    findings = source_findings(HEAD + method + backward("return g * 2"))
    assert [(each.code, each.line) for each in findings] == [("returned_input", n) for n in found]


def test_methods_that_are_assigned() -> None:
    source = """\
from functools import partial

import torch
from torch.amp import custom_bwd as decorated

bwd = partial(torch.amp.custom_bwd, device_type="cpu")


def _double(g):
    return g * 2, None


def _backward(ctx, g):
    (x,) = ctx.saved_tensors
    g *= 2
    return _double(x)


class Assigned(torch.autograd.Function):
    forward = staticmethod(lambda ctx, x: ctx.save_for_backward(x) or x * x)
    backward = staticmethod(_backward)


class Later(torch.autograd.Function):
    @staticmethod
    def forward(ctx, x):
        save = ctx.save_for_backward
        save(x)
        save(x * 2)
        return x * x

    @staticmethod
    @bwd
    def backward(ctx, g):
        return g * ctx.saved_tensors[0]


class Mixin:
    @staticmethod
    @decorated(device_type="cpu")
    def backward(ctx, g):
        return g


class Mixed(Mixin, torch.autograd.Function):
    forward = lambda ctx, x: x * 1
"""
    found = [(each.code, each.function, each.line) for each in source_findings(source)]
    assert found == [
        ("grad_output_unused", "Assigned", 13),
        ("grad_output_modified", "Assigned", 15),
        ("surplus_none", "Assigned", 16),
        ("saved_twice", "Later", 29),
        ("custom_bwd_without_custom_fwd", "Later", 33),
        ("custom_bwd_without_custom_fwd", "Mixed", 40),
        ("not_static", "Mixed", 46),
    ]
