"""torch.vmap meets a Function without a rule for it."""

from __future__ import annotations

from gradviz.catalogue.rules.declaration import DoctorRule

VMAP_MISSING = DoctorRule(
    id="GV605",
    code="vmap_missing",
    title="No rule for vmap",
    severity="error",
    evidence=("torch",),
    summary="torch.vmap meets a Function without a rule for it.",
    why=(
        "vmap must know how a Function computes a whole batch. It can derive that from forward and "
        "backward if they contain only torch ops, but only when asked to."
    ),
    remedy=("Set generate_vmap_rule = True in the class, or write the static method vmap."),
    refusal="does not have vmap support",
    needs="transform",
    bad="""\
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


torch.vmap(Twice.apply)(x).sum().backward()
""",
    good="""\
class Twice(Function):
    generate_vmap_rule = True

    @staticmethod
    def forward(x):
        return 2 * x

    @staticmethod
    def setup_context(ctx, inputs, output):
        pass

    @staticmethod
    def backward(ctx, grad_output):
        return 2 * grad_output


torch.vmap(Twice.apply)(x).sum().backward()
""",
)
