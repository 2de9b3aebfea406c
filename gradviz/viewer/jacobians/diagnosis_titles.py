"""Title and weight of each diagnosis code."""

from __future__ import annotations

from typing import Literal

from gradviz.drawing.appearance.palette import PaletteRole
from gradviz.model.diagnosis import Diagnosis
from gradviz.viewer.translation import translate

DiagnosisSeverity = Literal["fault", "doubt", "check", "calm"]
"""Fault in the function; unknown cause; problem with this check; no problem."""

SIGNS: dict[DiagnosisSeverity, tuple[PaletteRole, PaletteRole, str]] = {
    "fault": ("error", "error_fill", "error"),
    "doubt": ("text_muted", "raised", "info"),
    "check": ("warning", "warning_fill", "warning"),
    "calm": ("ok", "ok_fill", "check"),
}
"""Foreground, background and icon of each weight."""


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
        "transposed": translate("Diagnoses", "Transposed"),
        "factor_constant": translate("Diagnoses", "Wrong by a constant factor"),
        "factor_sign": translate("Diagnoses", "Wrong sign"),
        "factor_batch_size": translate("Diagnoses", "Wrong by a factor of the batch size"),
        "missing_sum": translate("Diagnoses", "Missing sum"),
        "extra_sum": translate("Diagnoses", "Extra sum"),
        "swapped_gradients": translate("Diagnoses", "Gradients of two inputs swapped"),
        "missing_term": translate("Diagnoses", "Missing term"),
        "wrong_some_indices": translate("Diagnoses", "Wrong for some indices only"),
    }


def _of_gradients() -> dict[str, str]:
    return {
        "dropped_zero": translate("Diagnoses", "Gradient is all zeros"),
        "dropped_none": translate("Diagnoses", "Gradient is None"),
        "detached": translate("Diagnoses", "Detached from the graph"),
        "ignores_grad_output": translate("Diagnoses", "grad_output is ignored"),
        "mutates_grad_output": translate("Diagnoses", "grad_output is modified in place"),
        "stride_blind": translate("Diagnoses", "Strides of grad_output are ignored"),
        "undefined_gradient": translate("Diagnoses", "Undefined gradient is not handled"),
        "double_backward_cut": translate("Diagnoses", "Graph of backward is cut"),
        "straight_through": translate("Diagnoses", "Straight-through gradient"),
        "constant_forward": translate("Diagnoses", "Forward is constant"),
    }


def _of_conditions() -> dict[str, str]:
    return {
        "float32_noise": translate("Diagnoses", "Low-precision rounding"),
        "eps_sensitive": translate("Diagnoses", "Unsuitable eps"),
        "kink": translate("Diagnoses", "Kink at this point"),
        "nondeterministic": translate("Diagnoses", "Nondeterministic"),
        "hidden_state": translate("Diagnoses", "Depends on hidden state"),
        "inplace_damage": translate("Diagnoses", "Harmful in-place change"),
        "unknown": translate("Diagnoses", "Unknown cause"),
        "none": translate("Diagnoses", "No problem found"),
    }


def confidence_text(diagnosis: Diagnosis) -> str:
    """Confidence in one word; empty if nothing is claimed."""
    if diagnosis_severity(diagnosis) in ("calm", "doubt"):
        return ""
    return (
        translate("Diagnoses", "certain")
        if diagnosis.confidence == "certain"
        else translate("Diagnoses", "likely")
    )


def confidence_tip(diagnosis: Diagnosis) -> str:
    """Sentence that explains the confidence."""
    if diagnosis.confidence == "certain":
        return translate("Diagnoses", "The numbers allow no other explanation.")
    return translate("Diagnoses", "Another explanation of the numbers is possible but unlikely.")
