"""forward computes in a smaller dtype under autocast, but is not decorated with custom_fwd."""

from __future__ import annotations

from gradviz.catalogue.rules.declaration import DoctorRule

AUTOCAST_WITHOUT_CUSTOM_FWD = DoctorRule(
    id="GV408",
    code="autocast_without_custom_fwd",
    title="custom_fwd missing under autocast",
    severity="warning",
    evidence=("run", "torch", "source"),
    summary=(
        "forward computes in a smaller dtype under autocast, but is not decorated with custom_fwd."
    ),
    why=(
        "Autocast changes the dtypes of some ops in forward. backward runs outside of it, so saved "
        "inputs and the incoming gradient have different dtypes there: an op raises an error, or "
        "computes in another precision than forward."
    ),
    remedy=(
        "Decorate forward with torch.amp.custom_fwd and backward with torch.amp.custom_bwd, below "
        "@staticmethod."
    ),
    refusal="to have the same dtype|expected scalar type|same dtype",
    refusal_is_clear=False,
    messages={
        "finding.autocast_without_custom_fwd": (
            "{where} runs under autocast, which computes in {dtype} here; {function}.backward runs "
            "outside of it. Decorate forward with torch.amp.custom_fwd, and backward with "
            "torch.amp.custom_bwd."
        ),
        "finding.autocast_without_custom_fwd.source": (
            "{where} is applied under autocast (line {line}) and computes what autocast casts to a "
            "smaller dtype; {function}.backward runs outside of it. Decorate forward with "
            "torch.amp.custom_fwd, and backward with torch.amp.custom_bwd."
        ),
    },
    bad="""\
class Product(Function):
    @staticmethod
    def forward(ctx, x, weight):
        ctx.save_for_backward(x, weight)
        return x @ weight

    @staticmethod
    def backward(ctx, grad_output):
        x, weight = ctx.saved_tensors
        return grad_output @ weight.t(), x.t() @ grad_output


weight = torch.ones(2, 1, requires_grad=True)
product = torch.autocast("cpu", dtype=torch.bfloat16)(Product.apply)(x[None].float(), weight)
product.float().sum().backward()
""",
    good="""\
class Product(Function):
    @staticmethod
    @torch.amp.custom_fwd(device_type="cpu")
    def forward(ctx, x, weight):
        ctx.save_for_backward(x, weight)
        return x @ weight

    @staticmethod
    @torch.amp.custom_bwd(device_type="cpu")
    def backward(ctx, grad_output):
        x, weight = ctx.saved_tensors
        return grad_output @ weight.t(), x.t() @ grad_output


weight = torch.ones(2, 1, requires_grad=True)
product = torch.autocast("cpu", dtype=torch.bfloat16)(Product.apply)(x[None].float(), weight)
product.float().sum().backward()
""",
)
