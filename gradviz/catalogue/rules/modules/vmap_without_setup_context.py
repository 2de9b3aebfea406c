"""A torch.func transform meets a Function without setup_context."""

from __future__ import annotations

from gradviz.catalogue.rules.declaration import DoctorRule

VMAP_WITHOUT_SETUP_CONTEXT = DoctorRule(
    id="GV603",
    code="vmap_without_setup_context",
    title="setup_context missing for torch.func",
    severity="error",
    evidence=("torch",),
    needs="transform",
    summary="A torch.func transform meets a Function without setup_context.",
    why=(
        "Transforms such as vmap, grad and jacrev run forward in a way in which ctx does not "
        "exist yet."
    ),
    remedy=(
        "Move what forward does with ctx into setup_context(ctx, inputs, output), and remove "
        "ctx from forward."
    ),
    refusal="it must override the setup_context staticmethod",
    bad="""\
class Twice(Function):
    @staticmethod
    def forward(ctx, x):
        return 2 * x

    @staticmethod
    def backward(ctx, grad_output):
        return 2 * grad_output


torch.func.grad(lambda y: Twice.apply(y).sum())(x)
""",
    good="""\
class Twice(Function):
    @staticmethod
    def forward(x):
        return 2 * x

    @staticmethod
    def setup_context(ctx, inputs, output):
        pass

    @staticmethod
    def backward(ctx, grad_output):
        return 2 * grad_output


torch.func.grad(lambda y: Twice.apply(y).sum())(x)
""",
)
