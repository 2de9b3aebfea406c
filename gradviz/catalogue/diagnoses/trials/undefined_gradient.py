"""Backward raises, or returns nonzeros, for an undefined gradient."""

from __future__ import annotations

from gradviz.catalogue.diagnoses.declaration import DiagnosisInfo

UNDEFINED_GRADIENT = DiagnosisInfo(
    code="undefined_gradient",
    title="Undefined gradient is not handled",
    is_observation=True,
    guide="`backward` does not handle an undefined gradient",
    beyond_gradcheck=True,
    messages={
        "undefined_gradient.message": (
            "Backward does not handle an undefined gradient, which autograd passes for every "
            "output that is not used later. After ctx.set_materialize_grads(False), it is None "
            "and means zeros. Test for None, or let autograd materialize zeros."
        ),
    },
)
