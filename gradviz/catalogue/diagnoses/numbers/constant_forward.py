"""A gradient is returned for an input that does not change the output."""

from __future__ import annotations

from gradviz.catalogue.diagnoses.declaration import DiagnosisInfo

CONSTANT_FORWARD = DiagnosisInfo(
    code="constant_forward",
    title="Forward is constant",
    guide="`forward` does not depend on the input, but `backward` returns a gradient",
    messages={
        "constant_forward.message": (
            "Moving {input} by eps does not change {output} at all, so the numerical Jacobian is "
            "zero: forward does not use this input, or is piecewise constant here. Yet backward "
            "returns a gradient for {input}. If forward does not use it, return None for it."
        ),
    },
)
