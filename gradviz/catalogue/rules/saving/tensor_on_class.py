"""forward stores a tensor on the class or in a global variable."""

from __future__ import annotations

from gradviz.catalogue.rules.declaration import DoctorRule

TENSOR_ON_CLASS = DoctorRule(
    id="GV110",
    code="tensor_on_class",
    title="Tensor stored on the class",
    severity="warning",
    evidence=("source",),
    summary="forward stores a tensor on the class or in a global variable.",
    why=(
        "All calls share the class and global variables. If the Function is applied twice before "
        "backward, backward of the first call reads the tensor of the second."
    ),
    remedy="Pass the tensor to ctx.save_for_backward, which belongs to one call.",
    messages={
        "finding.tensor_on_class.source": (
            "{where} stores a tensor as {name}, which all calls share: backward may read that of "
            "another call. Save it with ctx.save_for_backward."
        ),
    },
    bad="""\
class Square(Function):
    @staticmethod
    def forward(ctx, x):
        Square.x = x
        return x * x

    @staticmethod
    def backward(ctx, grad_output):
        return 2 * Square.x * grad_output


Square.apply(x).sum().backward()
""",
    good="""\
class Square(Function):
    @staticmethod
    def forward(ctx, x):
        ctx.save_for_backward(x)
        return x * x

    @staticmethod
    def backward(ctx, grad_output):
        (x,) = ctx.saved_tensors
        return 2 * x * grad_output


Square.apply(x).sum().backward()
""",
)
