"""forward is decorated with custom_fwd, but backward is not decorated with custom_bwd."""

from __future__ import annotations

from gradviz.catalogue.rules.declaration import DoctorRule

CUSTOM_FWD_WITHOUT_CUSTOM_BWD = DoctorRule(
    id="GV409",
    code="custom_fwd_without_custom_bwd",
    title="custom_fwd without custom_bwd",
    severity="warning",
    evidence=("source",),
    summary=(
        "forward is decorated with custom_fwd, but backward is not decorated with custom_bwd."
    ),
    why=(
        "custom_fwd keeps the autocast state of forward on ctx, so that custom_bwd can run "
        "backward with it. Without custom_bwd, backward runs in another state, and may meet dtypes "
        "that do not match."
    ),
    remedy="Decorate backward with torch.amp.custom_bwd, below @staticmethod.",
    messages={
        "finding.custom_fwd_without_custom_bwd.source": (
            "{where} is decorated with custom_fwd, but {function}.{reader} is not decorated with "
            "custom_bwd: it runs in another autocast state. Decorate both."
        ),
    },
    bad="""\
class Twice(Function):
    @staticmethod
    @torch.amp.custom_fwd(device_type="cpu")
    def forward(ctx, x):
        return 2 * x

    @staticmethod
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
