"""Title and weight of each diagnosis code."""

from __future__ import annotations

from typing import Literal

from PySide6.QtCore import QCoreApplication

from gradviz.drawing.appearance.palette import PaletteRole
from gradviz.model.diagnosis import Diagnosis

DiagnosisSeverity = Literal["fault", "doubt", "check", "calm"]
"""Fault in the function; unknown cause; problem with this check; no problem."""

SIGNS: dict[DiagnosisSeverity, tuple[PaletteRole, PaletteRole, str]] = {
    "fault": ("error", "error_fill", "error"),
    "doubt": ("text_muted", "raised", "info"),
    "check": ("warning", "warning_fill", "warning"),
    "calm": ("ok", "ok_fill", "check"),
}
"""Foreground, background and icon of each weight."""


def _tr(text: str) -> str:
    return QCoreApplication.translate("Diagnoses", text)


def diagnosis_severity(diagnosis: Diagnosis) -> DiagnosisSeverity:
    """Weight of a diagnosis."""
    if diagnosis.code == "none":
        return "calm"
    if diagnosis.code == "unknown":
        return "doubt"
    return "check" if diagnosis.is_harmless else "fault"


def title_of(code: str) -> str:
    """Title of a diagnosis; the code itself if it comes from a newer gradviz."""
    return (_of_numbers() | _of_gradients() | _of_conditions()).get(code, code)


def _of_numbers() -> dict[str, str]:
    return {
        "transposed": _tr("Transposed"),
        "factor_constant": _tr("Wrong by a constant factor"),
        "factor_sign": _tr("Wrong sign"),
        "factor_batch_size": _tr("Wrong by a factor of the batch size"),
        "missing_sum": _tr("Missing sum"),
        "extra_sum": _tr("Extra sum"),
        "swapped_gradients": _tr("Gradients of two inputs swapped"),
        "missing_term": _tr("Missing term"),
        "wrong_some_indices": _tr("Wrong for some indices only"),
    }


def _of_gradients() -> dict[str, str]:
    return {
        "dropped_zero": _tr("Gradient is all zeros"),
        "dropped_none": _tr("Gradient is None"),
        "detached": _tr("Detached from the graph"),
        "ignores_grad_output": _tr("grad_output is ignored"),
        "mutates_grad_output": _tr("grad_output is modified in place"),
        "stride_blind": _tr("Strides of grad_output are ignored"),
        "undefined_gradient": _tr("Undefined gradient is not handled"),
        "double_backward_cut": _tr("Graph of backward is cut"),
        "straight_through": _tr("Straight-through gradient"),
        "constant_forward": _tr("Forward is constant"),
    }


def _of_conditions() -> dict[str, str]:
    return {
        "float32_noise": _tr("Low-precision rounding"),
        "eps_sensitive": _tr("Unsuitable eps"),
        "kink": _tr("Kink at this point"),
        "nondeterministic": _tr("Nondeterministic"),
        "hidden_state": _tr("Depends on hidden state"),
        "inplace_damage": _tr("Harmful in-place change"),
        "unknown": _tr("Unknown cause"),
        "none": _tr("No problem found"),
    }


def confidence_text(diagnosis: Diagnosis) -> str:
    """Confidence in one word; empty if nothing is claimed."""
    if diagnosis_severity(diagnosis) in ("calm", "doubt"):
        return ""
    return _tr("certain") if diagnosis.confidence == "certain" else _tr("likely")


def confidence_tip(diagnosis: Diagnosis) -> str:
    """Sentence that explains the confidence."""
    if diagnosis.confidence == "certain":
        return _tr("The numbers allow no other explanation.")
    return _tr("Another explanation of the numbers is possible but unlikely.")
