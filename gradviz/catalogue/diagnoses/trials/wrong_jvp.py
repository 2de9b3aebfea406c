"""Forward mode fails or is wrong although backward is right."""

from __future__ import annotations

from gradviz.catalogue.diagnoses.declaration import DiagnosisInfo

WRONG_JVP = DiagnosisInfo(
    code="wrong_jvp",
    title="Forward mode (jvp) is wrong",
    is_observation=True,
    guide="`jvp` raises, or gives other derivatives than `backward`, which is right",
    messages={
        "wrong_jvp.message": (
            "Forward mode (jvp) gives wrong derivatives of {output} with respect to {input}, but "
            "backward is correct. Check jvp."
        ),
        "wrong_jvp.message.alone": (
            "Forward mode (jvp) gives wrong derivatives of {output} with respect to {input}. Check "
            "jvp."
        ),
        "wrong_jvp.evidence": (
            "{wrong} of {count} elements of the forward-mode Jacobian are outside the tolerance."
        ),
    },
)
