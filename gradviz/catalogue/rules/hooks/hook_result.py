"""A hook returns something that cannot replace the gradient."""

from __future__ import annotations

from gradviz.catalogue.rules.declaration import DoctorRule

HOOK_RESULT = DoctorRule(
    id="GV801",
    code="hook_result",
    title="Result of a hook refused",
    severity="error",
    evidence=("torch",),
    summary="A hook returns something that cannot replace the gradient.",
    why=(
        "What a hook returns takes the place of the gradient, so it needs the same shape, dtype "
        "and number. Torch refuses anything else."
    ),
    remedy=(
        "Return a gradient of the same shape and dtype, one for each that came; or None to leave "
        "it."
    ),
    refusal="has changed the (size|type) of value|but hook returned|invalid number of grad_",
    bad="""\
y = x * 2
y.register_hook(lambda grad: grad[:1])
torch.autograd.grad(y.sum(), x)
""",
    good="""\
y = x * 2
y.register_hook(lambda grad: grad * 0.5)
torch.autograd.grad(y.sum(), x)
""",
)
