"""A value that backward uses has lost its autograd history."""

from __future__ import annotations

from gradviz.catalogue.diagnoses.declaration import DiagnosisInfo

DOUBLE_BACKWARD_CUT = DiagnosisInfo(
    code="double_backward_cut",
    title="Graph of backward is cut",
    guide="for second derivatives, part of what `backward` computes with has lost its history",
    messages={
        "double_backward_cut.none": (
            "No gradient returned by backward has an autograd history, although they change with "
            "the inputs or incoming gradients. Second derivatives are lost. Usually forward saved "
            "an intermediate result that is neither an input nor an output: recompute it in "
            "backward, or return it as an output. Other causes are .detach(), .item() and NumPy."
        ),
        "double_backward_cut.all": (
            "{output} changes with {input}, but the graph does not connect them: a value that "
            "backward uses has lost its autograd history. Usually forward saved an intermediate "
            "result that is neither an input nor an output: recompute it in backward, or return "
            "it as an output. Other causes are .detach(), .item() and NumPy."
        ),
        "double_backward_cut.part": (
            "The graph contains only part of the dependence of {output} on {input}. That part is "
            "differentiated correctly, so a value that backward uses has lost its autograd "
            "history. Usually forward saved an intermediate result that is neither an input nor "
            "an output: recompute it in backward, or return it as an output. Other causes are "
            ".detach(), .item() and NumPy."
        ),
        "double_backward_cut.once": (
            "The backward of {functions} is marked once_differentiable, so its gradients cannot "
            "be differentiated again. This is a mistake only if second derivatives are needed. In "
            "that case, write backward in torch operations and remove the decorator."
        ),
        "double_backward_cut.once.custom": "a custom Function",
        "double_backward_cut.once.evidence": (
            "The graph of the gradients ends in a node that raises an error."
        ),
        "double_backward_cut.saved": (
            "Saved tensor {place} of {function} ({shape}) has no autograd history and is not one "
            "of the arguments."
        ),
        "double_backward_cut.attribute": (
            "ctx.{place} of {function} ({shape}) has no autograd history and is not one of the "
            "arguments."
        ),
        "double_backward_cut.scalar": "scalar",
    },
)
