"""backward is decorated with custom_bwd, but forward not with custom_fwd."""

from __future__ import annotations

from gradviz.catalogue.rules.declaration import DoctorRule

CUSTOM_BWD_WITHOUT_CUSTOM_FWD = DoctorRule(
    id="GV407",
    code="custom_bwd_without_custom_fwd",
    title="custom_bwd without custom_fwd",
    severity="error",
    evidence=(
        "torch",
        "source",
    ),
    summary="backward is decorated with custom_bwd, but forward is not decorated with custom_fwd.",
    why=(
        "custom_bwd runs backward with the autocast state of forward, which custom_fwd keeps on "
        "ctx. Without custom_fwd, nothing is there and backward raises an AttributeError."
    ),
    remedy="Decorate forward with torch.amp.custom_fwd, below @staticmethod.",
    refusal="has no attribute '_(fwd_used_autocast|dtype)'",
    messages={
        "finding.custom_bwd_without_custom_fwd.source": (
            "{where} is decorated with custom_bwd, but {function}.forward is not decorated with "
            "custom_fwd: backward raises an AttributeError. Decorate both."
        ),
    },
    bad="""\
class Twice(Function):
    @staticmethod
    def forward(ctx, x):
        return 2 * x

    @staticmethod
    @torch.amp.custom_bwd(device_type="cpu")
    def backward(ctx, grad_output):
        return 2 * grad_output


Twice.apply(x).sum().backward()
""",
    good="""\
class Twice(Function):
    @staticmethod
    @torch.amp.custom_fwd(device_type="cpu")
    def forward(ctx, x):
        return 2 * x

    @staticmethod
    @torch.amp.custom_bwd(device_type="cpu")
    def backward(ctx, grad_output):
        return 2 * grad_output


Twice.apply(x).sum().backward()
""",
)
