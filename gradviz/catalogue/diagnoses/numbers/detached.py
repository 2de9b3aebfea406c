"""The graph does not connect an output with an input that it changes with."""

from __future__ import annotations

from gradviz.catalogue.diagnoses.declaration import DiagnosisInfo

DETACHED = DiagnosisInfo(
    code="detached",
    title="Detached from the graph",
    guide="the result has lost its history: a `.detach()`, NumPy, `no_grad`",
    messages={
        "detached.whole": (
            "{output} changes with {input}, but the graph does not connect them. Look for "
            ".detach(), .data, torch.no_grad(), .item() or NumPy."
        ),
        "detached.whole.evidence": "No path leads from {output} to {input} in the graph.",
        "detached.zero": (
            "{output} changes with {input}, but no gradient comes back: the part of the graph "
            "that would carry it is cut."
        ),
        "detached.part": (
            "Part of {output} is computed from a detached {input}, so the gradient lacks the "
            "contribution of that part."
        ),
        "detached.part.evidence": (
            "Without these cuts, autograd's Jacobian agrees with the numerical one."
        ),
        "detached.repair": "Remove the operations that cut the graph.",
        "detached.left_torch": (
            "Part of {output} is computed from values of {input} that have left torch, so the "
            "gradient lacks their contribution."
        ),
        "detached.left_torch.evidence": (
            "Everything else is computed by functions of torch, whose gradients are correct."
        ),
        "detached.no_output": (
            "{problem} The graph is cut: look for .detach(), .data, torch.no_grad(), .item() or "
            "NumPy in the function, or for mark_non_differentiable on an output that is "
            "differentiable."
        ),
        "detached.list": (
            "{problem} forward of {function} returns a list, but torch connects tensors with the "
            "graph only if forward returns them directly or in a tuple."
        ),
        "detached.list.evidence": "{function}.apply returns a list.",
        "detached.cut": "{operation} in {line} cuts the graph.",
        "detached.leak": "{operation} in {line} takes values out of torch.",
    },
)
