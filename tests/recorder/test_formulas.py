"""Each formula of the catalogue, evaluated as written, compared with torch's engine."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass, field
from operator import attrgetter
from typing import Any

import pytest
import torch
from torch import Tensor
from torch.nn import functional

from gradviz.catalogue.backward_formulas import EQUATIONS, NOTES, formula_of

SIGNS = {"ᵀ": ".mT", "²": "**2", "³": "**3"}


@dataclass(frozen=True)
class Case:
    """One node, made by calling an op.

    Attributes:
        name: In the catalogue.
        call: Makes the output from the inputs.
        inputs: Leaves by the names that the formula has for them.
        names: What else the formula speaks of.
    """

    name: str
    call: Callable[..., Any]
    inputs: dict[str, Tensor]
    names: dict[str, Any] = field(default_factory=dict)


def t(*shape: int, low: float = -2.0, high: float = 2.0) -> Tensor:
    generator = torch.Generator().manual_seed(sum(shape) + 7)
    values = torch.rand(*shape, generator=generator, dtype=torch.float64) * (high - low) + low
    return values.requires_grad_()


def same(
    name: str, call: Callable[..., Any], low: float = -2.0, high: float = 2.0, **names: Any
) -> Case:
    return Case(name, call, {"self": t(3, 4, low=low, high=high)}, names)


unsafe_view = attrgetter("_unsafe_view")(torch.ops.aten)

MASK = torch.tensor([[True, False, True, False]] * 3)
INDEX = torch.tensor([[0, 1, 2, 0], [2, 2, 1, 0]])
A, B, C = t(3, 4), t(4, 5), t(3, 5)
N = 12

CASES = [
    same("Abs", torch.abs),
    same("Acos", torch.acos, -0.9, 0.9),
    same("Acosh", torch.acosh, 1.1, 3),
    same("Asinh", torch.asinh),
    same("Atanh", torch.atanh, -0.9, 0.9),
    same("Fill", lambda a: torch.fill(a, 2)),
    same("Fmod", lambda a: torch.fmod(a, 0.7)),
    same("Frac", torch.frac),
    same("Hardsigmoid", functional.hardsigmoid, -5, 5),
    same("Hardswish", functional.hardswish, -5, 5),
    same("Mish", functional.mish),
    same("Remainder", lambda a: torch.remainder(a, 0.7)),
    same("Trunc", torch.trunc),
    same("Asin", torch.asin, -0.9, 0.9),
    same("Atan", torch.atan),
    same("Ceil", torch.ceil),
    same("Clamp", lambda x: x.clamp(-1, 1), min=-1, max=1),
    same("ClampMax", lambda x: x.clamp_max(1), max=1),
    same("ClampMin", lambda x: x.clamp_min(-1), min=-1),
    same("Cos", torch.cos),
    same("Cosh", torch.cosh),
    same("Elu", lambda x: functional.elu(x, 0.7), alpha=0.7),
    same("Erf", torch.erf),
    same("Exp", torch.exp),
    same("Exp2", torch.exp2),
    same("Expm1", torch.expm1),
    same("Floor", torch.floor),
    same("Gelu", functional.gelu),
    same("Hardtanh", lambda x: functional.hardtanh(x, -1, 0.5), min_val=-1, max_val=0.5),
    same("LeakyRelu", lambda x: functional.leaky_relu(x, 0.2), negative_slope=0.2),
    same("Log", torch.log, 0.5, 3),
    same("Log10", torch.log10, 0.5, 3),
    same("Log1P", torch.log1p, -0.5, 3),
    same("Log2", torch.log2, 0.5, 3),
    same("LogSigmoid", functional.logsigmoid),
    same("Neg", torch.neg),
    same("Reciprocal", torch.reciprocal, 0.5, 3),
    same("Relu", torch.relu),
    same("Round", torch.round),
    same("Rsqrt", torch.rsqrt, 0.5, 3),
    same("Sigmoid", torch.sigmoid),
    same("Sign", torch.sign),
    same("Silu", functional.silu),
    same("Sin", torch.sin),
    same("Sinh", torch.sinh),
    same("Softplus", lambda x: functional.softplus(x, 2, 1), beta=2, threshold=1),
    same("Sqrt", torch.sqrt, 0.5, 3),
    same("Tan", torch.tan, -1, 1),
    same("Tanh", torch.tanh),
    same("Threshold", lambda x: functional.threshold(x, 0.3, 5), threshold=0.3),
    # Several inputs, also broadcast.
    Case("Add", lambda a, b: torch.add(a, b, alpha=3), {"self": A, "other": t(4)}, {"alpha": 3}),
    Case("Sub", lambda a, b: torch.sub(a, b, alpha=3), {"self": A, "other": t(3, 1)}, {"alpha": 3}),
    Case("Rsub", lambda a, b: torch.rsub(a, b, alpha=3), {"self": A, "other": t(4)}, {"alpha": 3}),
    Case("Mul", torch.mul, {"self": A, "other": t(4)}),
    Case("Div", torch.div, {"self": A, "other": t(4, low=0.5)}),
    Case("Pow", lambda a: a**3, {"self": A}, {"exponent": 3}),
    Case("Pow1", torch.pow, {"self": t(3, 4, low=0.5), "exponent": t(4)}),
    Case("Pow2", lambda a: torch.pow(2.5, a), {"exponent": A}, {"self": 2.5}),
    Case("Logaddexp", torch.logaddexp, {"self": A, "other": t(4)}),
    Case("Atan2", torch.atan2, {"self": A, "other": t(3, 4, low=0.5)}),
    Case("Maximum", torch.maximum, {"self": A, "other": t(4)}),
    Case("Minimum", torch.minimum, {"self": A.detach().round().requires_grad_(), "other": t(4)}),
    Case("Hypot", torch.hypot, {"self": A, "other": t(4)}),
    Case("Xlogy", torch.xlogy, {"self": A, "other": t(4, low=0.5)}),
    Case("Lerp", lambda a, b: torch.lerp(a, b, 0.3), {"self": A, "end": t(4)}, {"weight": 0.3}),
    Case(
        "Addcmul",
        lambda a, b, c: torch.addcmul(a, b, c, value=2),
        {"self": A, "tensor1": t(4), "tensor2": t(3, 1)},
        {"value": 2},
    ),
    Case(
        "Addcdiv",
        lambda a, b, c: torch.addcdiv(a, b, c, value=2),
        {"self": A, "tensor1": t(4), "tensor2": t(3, 1, low=1)},
        {"value": 2},
    ),
    Case(
        "Where",
        lambda a, b: torch.where(MASK, a, b),
        {"self": A, "other": t(4)},
        {"condition": MASK},
    ),
    Case(
        "MaskedFill",
        lambda a, b: a.masked_fill(MASK, b),
        {"self": A, "value": torch.tensor(2.0, dtype=torch.float64, requires_grad=True)},
        {"mask": MASK},
    ),
    # Matrices.
    Case("Mm", torch.mm, {"self": A, "mat2": B}),
    Case("Bmm", torch.bmm, {"self": t(2, 3, 4), "mat2": t(2, 4, 5)}),
    Case("LinalgDet", torch.linalg.det, {"A": t(3, 3)}),
    Case("LinalgInvEx", torch.linalg.inv, {"A": t(3, 3)}),
    Case("Mv", torch.mv, {"self": A, "vec": t(4)}),
    Case("Dot", torch.dot, {"self": t(4), "tensor": t(4, low=1)}),
    Case(
        "Addmm",
        lambda c, a, b: torch.addmm(c, a, b, beta=2, alpha=3),
        {"self": t(5), "mat1": A, "mat2": B},
        {"beta": 2, "alpha": 3},
    ),
    Case(
        "Addmv",
        lambda c, a, b: torch.addmv(c, a, b, beta=2, alpha=3),
        {"self": t(3), "mat": A, "vec": t(4)},
        {"beta": 2, "alpha": 3},
    ),
    Case(
        "Baddbmm",
        lambda c, a, b: torch.baddbmm(c, a, b, beta=2, alpha=3),
        {"self": t(2, 3, 5), "batch1": t(2, 3, 4), "batch2": t(2, 4, 5)},
        {"beta": 2, "alpha": 3},
    ),
    # Shapes.
    same("Alias", torch.ops.aten.alias),
    same("Clone", torch.clone),
    Case(
        "Cat",
        lambda a, b: torch.cat((a, b), 1),
        {"0": A, "1": t(3, 2)},
        {"sizes": (4, 2), "dim": 1},
    ),
    Case("Stack", lambda a, b: torch.stack((a, b), 1), {"0": A, "1": t(3, 4, low=0)}, {"dim": 1}),
    Case("Split", lambda a: a.split(2, 1), {"self": A}, {"dim": 1}),
    Case("Unbind", lambda a: a.unbind(1), {"self": A}, {"dim": 1}),
    Case("ConstantPadNd", lambda a: functional.pad(a, (1, 2)), {"self": A}, {"pad": (1, 2)}),
    Case(
        "IndexAdd",
        lambda a, b: a.index_add(0, INDEX[1, :2], b, alpha=3),
        {"self": A, "source": t(2, 4)},
        {"dim": 0, "index": INDEX[1, :2], "alpha": 3},
    ),
    Case(
        "IndexPut",
        lambda a, b: a.index_put((torch.tensor([0, 2]),), b),
        {"self": A, "values": t(2, 4)},
        {"indices": (torch.tensor([0, 2]),)},
    ),
    Case(
        "Scatter",
        lambda a, b: a.scatter(0, INDEX[:1], b),
        {"self": A, "src": t(1, 4)},
        {"dim": 0, "index": INDEX[:1]},
    ),
    Case("Diagonal", lambda a: a.diagonal(1), {"self": A}, {"offset": 1, "dim1": 0, "dim2": 1}),
    Case("Expand", lambda a: a.expand(2, 3, 4), {"self": t(3, 1)}),
    same("Flip", lambda a: a.flip(1), dims=(1,)),
    Case("Gather", lambda a: a.gather(0, INDEX), {"self": A}, {"dim": 0, "index": INDEX}),
    Case("Index", lambda a: a[[0, 2, 0]], {"self": A}, {"indices": (torch.tensor([0, 2, 0]),)}),
    Case(
        "IndexSelect",
        lambda a: a.index_select(0, INDEX[0]),
        {"self": A},
        {"dim": 0, "index": INDEX[0]},
    ),
    Case("MaskedSelect", lambda a: a.masked_select(MASK), {"self": A}, {"mask": MASK}),
    Case("Permute", lambda a: a.permute(2, 0, 1), {"self": t(2, 3, 4)}, {"dims": (2, 0, 1)}),
    Case("Repeat", lambda a: a.repeat(2, 3), {"self": A}, {"repeats": (2, 3)}),
    Case("Reshape", lambda a: a.reshape(4, 3), {"self": A}),
    Case("ReshapeAlias", lambda a: a.reshape(4, 3), {"self": A}),
    same("Roll", lambda a: a.roll(2, 1), shifts=2, dims=1),
    Case(
        "ScatterAdd",
        lambda a, b: a.scatter_add(0, INDEX, b),
        {"self": A, "src": t(2, 4)},
        {"dim": 0, "index": INDEX},
    ),
    same("Select", lambda a: a.select(1, 2), dim=1, index=2),
    Case("Slice", lambda a: a[:, 1:4:2], {"self": A}, {"dim": 1, "start": 1, "end": 4, "step": 2}),
    Case("Squeeze", lambda a: a.squeeze(), {"self": t(3, 1)}),
    same("T", torch.t),
    Case("ToCopy", lambda a: a.float(), {"self": A}),
    same("Transpose", lambda a: a.transpose(0, 1), dim0=0, dim1=1),
    same("Tril", torch.tril, diagonal=0),
    same("Triu", torch.triu, diagonal=0),
    Case("UnsafeView", lambda a: unsafe_view(a, [4, 3]), {"self": A}),
    same("Unsqueeze", lambda a: a.unsqueeze(1), dim=1),
    Case("View", lambda a: a.view(4, 3), {"self": A}),
    # Reductions.
    Case("Amax", lambda a: a.amax(1), {"self": A.detach().round().requires_grad_()}, {"dim": 1}),
    Case("Amin", lambda a: a.amin(1), {"self": A.detach().round().requires_grad_()}, {"dim": 1}),
    Case("Max", lambda a: a.max(1), {"self": A}, {"dim": 1}),
    Case("Min", lambda a: a.min(1), {"self": A}, {"dim": 1}),
    Case("Max1", lambda a: a.max(), {"self": A.detach().round().requires_grad_()}),
    Case("Min1", lambda a: a.min(), {"self": A.detach().round().requires_grad_()}),
    same("Sum", torch.sum),
    same("Sum", lambda a: a.sum(1), dim=1),
    same("Mean", torch.mean, n=N),
    same("Mean", lambda a: a.mean(1), n=4, dim=1),
    same("Prod", torch.prod, 0.5, 2),
    same("Cumsum", lambda a: a.cumsum(1), dim=1),
    same("Std", torch.std, n=N, correction=1),
    same("Var", torch.var, n=N, correction=1),
    same("Sort", lambda a: a.sort(1), dim=1),
    same("Topk", lambda a: a.topk(2, 1), dim=1),
    same("LinalgVectorNorm", torch.linalg.vector_norm),
    same("Norm", lambda a: torch.ops.aten.norm(a, 2)),
    same("Logsumexp", lambda a: a.logsumexp(0), dim=0),
    same("Softmax", lambda a: a.softmax(1), dim=1),
    same("LogSoftmax", lambda a: a.log_softmax(1), dim=1),
    # Networks.
    Case(
        "AvgPool2D", lambda a: functional.avg_pool2d(a, 2), {"self": t(1, 2, 4, 4)}, {"window": 4}
    ),
    Case(
        "AdaptiveAvgPool2D",
        lambda a: functional.adaptive_avg_pool2d(a, 2),
        {"self": t(1, 2, 4, 4)},
        {"window": 4},
    ),
    Case("MaxPool2DWithIndices", lambda a: functional.max_pool2d(a, 2), {"self": t(1, 2, 4, 4)}),
    Case(
        "Convolution",
        functional.conv2d,
        {"input": t(2, 3, 5, 5), "weight": t(4, 3, 3, 3), "bias": t(4)},
    ),
    Case(
        "NativeLayerNorm",
        lambda a, w, b: functional.layer_norm(a, (4,), w, b),
        {"input": A, "weight": t(4), "bias": t(4, low=0)},
        {"within": (1,), "beside": (0,)},
    ),
    Case(
        "NativeBatchNorm",
        lambda a, w, b: functional.batch_norm(a, None, None, w, b, training=True),
        {"input": t(3, 4, 5), "weight": t(4), "bias": t(4, low=0)},
        {"within": (0, 2), "beside": (0, 2)},
    ),
    Case(
        "CopyBackwards",
        lambda a: torch.zeros(3, 4, dtype=torch.float64).copy_(a),
        {"src": A},
    ),
    Case(
        "Embedding",
        lambda w: functional.embedding(torch.tensor([0, 2, 0]), w),
        {"weight": A},
        {"indices": torch.tensor([0, 2, 0])},
    ),
    same("MseLoss", lambda a: functional.mse_loss(a, A.detach() * 2), target=A.detach() * 2, n=N),
    same(
        "HuberLoss",
        lambda a: functional.huber_loss(a, A.detach() * 2, delta=0.5),
        target=A.detach() * 2,
        delta=0.5,
        n=N,
    ),
    same(
        "SmoothL1Loss",
        lambda a: functional.smooth_l1_loss(a, A.detach() * 2, beta=0.5),
        target=A.detach() * 2,
        beta=0.5,
        n=N,
    ),
    same(
        "BinaryCrossEntropy",
        lambda a: functional.binary_cross_entropy(a, MASK.double()),
        0.1,
        0.9,
        target=MASK.double(),
        n=N,
    ),
    same(
        "BinaryCrossEntropyWithLogits",
        lambda a: functional.binary_cross_entropy_with_logits(a, MASK.double()),
        target=MASK.double(),
        n=N,
    ),
    same("NativeDropout", lambda a: torch.native_dropout(a, 0.25, True), p=0.25),
    same(
        "NllLoss",
        lambda a: functional.nll_loss(a, torch.tensor([0, 3, 1])),
        target=torch.tensor([0, 3, 1]).reshape(3, 1),
        n=3,
    ),
]


def vocabulary(case: Case, grads: list[Tensor], outputs: tuple[Tensor, ...]) -> dict[str, Any]:
    """The meaning of the names in formulas, for the engine's shapes."""
    first = next(iter(case.inputs.values()))
    grad, dim = grads[0], case.names.get("dim")
    reduced = case.name in (
        "Amax",
        "Amin",
        "Max",
        "Min",
        "Logsumexp",
        "Max1",
        "Min1",
        "Sum",
        "Mean",
    )
    result = outputs[0].detach()
    if reduced and dim is not None:
        grad, result = grad.unsqueeze(dim), result.unsqueeze(dim)
    if case.name == "NllLoss":
        grad = grad.expand(3, 1)
    words: dict[str, Any] = {
        "grad": grad,
        "grads": grads,
        "result": result,
        "result1": outputs[1].detach() if len(outputs) > 1 else None,
        "zeros": torch.zeros_like(first),
        "pi": math.pi,
        "log": _log,
        "where": torch.where,
        "Φ": lambda x: torch.special.ndtr(x),
        "φ": lambda x: torch.exp(-x * x / 2) / math.sqrt(2 * math.pi),
        "sum": lambda x, d=None: x.sum() if d is None else x.sum(d, keepdim=True),
        "sum_to": lambda x, shape: (
            x.sum_to_size(shape) if case.name != "Convolution" else x.sum((0, 2, 3))
        ),
        "cast": lambda x, dtype: x.to(dtype),
        "inverse": lambda dims: [dims.index(at) for at in range(len(dims))],
        "sqrt": lambda x: math.sqrt(x) if isinstance(x, float) else torch.sqrt(x),
        "expand": lambda x, shape: x.expand(shape),
        "share": lambda g, mask: (
            g * mask / (mask.sum() if dim is None else mask.sum(dim, keepdim=True))
        ),
        "sum_repeats": lambda g, times: g.reshape(times[0], 3, times[1], 4).sum((0, 2)),
        "spread": lambda g: g.repeat_interleave(2, 2).repeat_interleave(2, 3),
        "unpool": lambda g, at: functional.max_unpool2d(g, at, 2),
        "conv_transpose": functional.conv_transpose2d,
        "correlate": lambda x, g: torch.nn.grad.conv2d_weight(x, (4, 3, 3, 3), g),
        "squeeze": torch.squeeze,
        "crop": lambda g, pad: g[:, pad[0] : -pad[1]],
        "zero": torch.zeros((), dtype=torch.float64),
        "inv": torch.linalg.inv,
    }
    if case.name.startswith("Native") and case.name.endswith("Norm"):
        words |= _normal_words(case, grad)
    if case.name == "Mish":
        words["t"] = torch.tanh(functional.softplus(first.detach()))
    if case.name == "LinalgInvEx":
        words["inverse"] = result
    if case.name in ("Sort", "Topk"):
        words["indices"] = outputs[1]
    if case.name in ("Max", "Min"):
        words["indices"] = outputs[1].unsqueeze(1)
    if case.name == "MaxPool2DWithIndices":
        words["result1"] = functional.max_pool2d(first, 2, return_indices=True)[1]
    return words


def _normal_words(case: Case, grad: Tensor) -> dict[str, Any]:
    """What a normalisation saves, computed from what it normalises."""
    x, within, beside = case.inputs["input"].detach(), case.names["within"], case.names["beside"]
    weight = case.inputs["weight"].detach()
    weight = weight if x.ndim == 2 else weight.reshape(-1, 1)
    variance, middle = torch.var_mean(x, within, correction=0, keepdim=True)
    rstd = (variance + 1e-5).rsqrt()
    return {
        "x": (x - middle) * rstd,
        "result2": rstd,
        "weight": weight,
        "g": grad * weight,
        "mean": lambda each: each.mean(within, keepdim=True),
        "sum": lambda each: each.sum(beside),
    }


def _log(value: Any) -> Any:
    return torch.log(value) if isinstance(value, Tensor) else math.log(value)


def evaluated(equation: str, names: dict[str, Any]) -> Any:
    """The right side of an equation."""
    text = equation.partition(" = ")[2]
    for sign, code in SIGNS.items():
        text = text.replace(sign, code)
    return eval(text, {**vars(torch), **names})


@pytest.mark.parametrize("case", CASES, ids=lambda case: case.name)
def test_a_formula_gives_what_the_engine_gives(case: Case) -> None:
    outputs = case.call(*case.inputs.values())
    outputs = (outputs,) if isinstance(outputs, Tensor) else tuple(outputs)
    flowing = [each for each in outputs if each.requires_grad]
    torch.manual_seed(3)
    grads = [torch.randn_like(each) for each in flowing]
    expected = torch.autograd.grad(flowing, list(case.inputs.values()), grads)
    formula = formula_of(flowing[0].grad_fn.name())
    if case.name not in ("Reshape", "ReshapeAlias"):
        assert formula is not None
        assert formula.equations == EQUATIONS[case.name]
    leaves = {name: leaf.detach() for name, leaf in case.inputs.items()}
    names = {**leaves, **vocabulary(case, grads, outputs), **case.names}
    found = [evaluated(equation, names) for equation in EQUATIONS[case.name]]
    if case.name in ("Cat", "Stack"):
        found = list(found[0])
    assert len(found) == len(expected)
    for own, engine in zip(found, expected, strict=True):
        if not isinstance(own, Tensor):
            own = torch.full_like(engine, own)
        torch.testing.assert_close(own.sum_to_size(engine.shape), engine)


@pytest.mark.parametrize("case", CASES, ids=lambda case: case.name)
def test_equations_stand_in_the_order_of_the_slots(case: Case) -> None:
    """A sentence leaves out inputs without a gradient if there are as many."""
    outputs = case.call(*case.inputs.values())
    first = outputs if isinstance(outputs, Tensor) else outputs[0]
    slots = [node for node, _ in first.grad_fn.next_functions]
    if len(slots) != len(EQUATIONS[case.name]):
        return
    places = [id(each) for each in case.inputs.values()]
    leaves = [places.index(id(node.variable)) for node in slots if hasattr(node, "variable")]
    assert leaves == sorted(leaves)


def test_every_formula_is_tried() -> None:
    # A leaf's node is no function of an op; what it does is seen in every recording.
    assert set(EQUATIONS) - {case.name for case in CASES} == {"AccumulateGrad"}


def test_a_formula_can_have_a_note() -> None:
    assert set(NOTES) <= set(EQUATIONS)


@pytest.mark.parametrize(
    ("node", "name"),
    [
        ("MulBackward0", "Mul"),
        ("MulBackward1", "Mul"),
        ("PowBackward1", "Pow1"),
        ("Log10Backward0", "Log10"),
        ("torch::autograd::AccumulateGrad", "AccumulateGrad"),
        ("torch::autograd::CopyBackwards", "CopyBackwards"),
    ],
)
def test_versions_and_namespaces_are_seen_through(node: str, name: str) -> None:
    formula = formula_of(node)
    assert formula is not None
    assert formula.equations == EQUATIONS[name]


@pytest.mark.parametrize("node", ["LinearFunctionBackward", "", "NoSuchBackward0", "<b>Backward0"])
def test_a_node_without_a_formula_has_no_text(node: str) -> None:
    assert formula_of(node) is None
