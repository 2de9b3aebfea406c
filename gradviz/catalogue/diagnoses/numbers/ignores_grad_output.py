"""The returned gradient is not linear in grad_output."""

from __future__ import annotations

from gradviz.catalogue.diagnoses.declaration import DiagnosisInfo

IGNORES_GRAD_OUTPUT = DiagnosisInfo(
    code="ignores_grad_output",
    title="grad_output is ignored",
    guide="`backward` does not multiply by `grad_output`",
    messages={
        "ignores_grad_output.same": (
            "Backward returns the same gradient for {input} whatever grad_output is. Multiply the "
            "local derivative by grad_output."
        ),
        "ignores_grad_output.nonlinear": (
            "The gradient of {input} is not linear in grad_output: for the sum of two incoming "
            "gradients, backward does not return the sum of the two results. If this is intended, "
            "as for gradient clipping, gradcheck cannot return True; if not, multiply by "
            "grad_output once, and by nothing else that depends on it."
        ),
        "ignores_grad_output.term": (
            "A term of the gradient of {input} is not multiplied by grad_output: it stays the same "
            "whatever grad_output is. Multiply every term by grad_output once."
        ),
        "ignores_grad_output.evidence.zeros": "For a grad_output of zeros, it returns zeros.",
        "ignores_grad_output.evidence.values": (
            "For a grad_output of zeros, it returns values up to {largest:.3g}."
        ),
        "ignores_grad_output.output": (
            "Backward does not use the gradient of {output}: no input gets a gradient from it, "
            "although {output} changes with {input}."
        ),
        "ignores_grad_output.output.evidence": "The gradients of other outputs are used.",
    },
)
