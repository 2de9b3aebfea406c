"""A tensor that requires grad is inside a list, dict or other object."""

from __future__ import annotations

from gradviz.catalogue.rules.declaration import DoctorRule

NESTED_TENSOR = DoctorRule(
    id="GV401",
    code="nested_tensor",
    title="Tensors inside an argument",
    severity="warning",
    evidence=("run",),
    summary="A tensor that requires grad is inside a list, dict or other object.",
    why=(
        "autograd sees the tensors among the arguments of apply. It does not look inside a "
        "list, a dict or another object: tensors in there get no gradient."
    ),
    remedy="Unpack them with F.apply(*tensors), and return one gradient for each.",
    messages={
        "finding.nested_tensor": (
            "{where} receives tensors that require grad inside {name}, where autograd does "
            "not see them: no gradient reaches them through {function}. Pass each of them as "
            "a separate argument."
        ),
    },
    bad="""\
class Total(Function):
    @staticmethod
    def forward(ctx, first, others):
        return first + sum(others)

    @staticmethod
    def backward(ctx, grad_output):
        return grad_output.clone(), None


Total.apply(x, [x, x]).sum().backward()
""",
    good="""\
class Total(Function):
    @staticmethod
    def forward(ctx, *tensors):
        ctx.count = len(tensors)
        return sum(tensors)

    @staticmethod
    def backward(ctx, grad_output):
        return tuple(grad_output.clone() for _ in range(ctx.count))


Total.apply(x, x, x).sum().backward()
""",
)
