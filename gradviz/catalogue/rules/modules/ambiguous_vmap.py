"""A Function defines vmap and asks torch to generate it."""

from __future__ import annotations

from gradviz.catalogue.rules.declaration import DoctorRule

AMBIGUOUS_VMAP = DoctorRule(
    id="GV602",
    code="ambiguous_vmap",
    title="Two rules for vmap",
    severity="error",
    evidence=(
        "torch",
        "source",
    ),
    summary="A Function defines vmap and asks torch to generate it.",
    why=(
        "generate_vmap_rule = True makes torch derive the rule from forward and backward. "
        "If there is a vmap method as well, the rule is ambiguous, and torch raises an error."
    ),
    remedy="Remove generate_vmap_rule, or the vmap method.",
    refusal="has both generate_vmap_rule=True and an overridden vmap",
    messages={
        "finding.ambiguous_vmap.source": (
            "{where} is defined although generate_vmap_rule is True: torch refuses a Function "
            "that has both. Keep one."
        ),
    },
    bad="""\
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

    @staticmethod
    def vmap(info, in_dims, x):
        return 2 * x, in_dims[0]


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
