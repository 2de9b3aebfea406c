"""What each code of a diagnosis is called, and how much it matters."""

from __future__ import annotations

from typing import Literal

from PySide6.QtCore import QCoreApplication

from gradviz.model.diagnosis import Diagnosis
from gradviz.model.palette import Role

Weight = Literal["fault", "doubt", "check", "calm"]
"""Against the function; not known; against this check, not the function; nothing."""

SIGNS: dict[Weight, tuple[Role, Role, str]] = {
    "fault": ("error", "error_fill", "error"),
    "doubt": ("text_muted", "raised", "info"),
    "check": ("warning", "warning_fill", "warning"),
    "calm": ("ok", "ok_fill", "check"),
}
"""Ink, ground and icon of each weight."""


def _tr(text: str) -> str:
    return QCoreApplication.translate("Diagnoses", text)


def weight_of(diagnosis: Diagnosis) -> Weight:
    """How much a diagnosis matters."""
    if diagnosis.code == "none":
        return "calm"
    if diagnosis.code == "unknown":
        return "doubt"
    return "check" if diagnosis.is_harmless else "fault"


def title_of(code: str) -> str:
    """A few words for people; the code itself where it is of a newer gradviz."""
    return (_of_numbers() | _of_gradients() | _of_conditions()).get(code, code)


def _of_numbers() -> dict[str, str]:
    return {
        "transposed": _tr("Transposed"),
        "factor_constant": _tr("Wrong by a constant factor"),
        "factor_sign": _tr("Wrong sign"),
        "factor_batch_size": _tr("Wrong by the batch size"),
        "missing_sum": _tr("A sum is missing"),
        "extra_sum": _tr("A sum too many"),
        "swapped_gradients": _tr("Gradients of two inputs exchanged"),
        "missing_term": _tr("A term is missing"),
        "wrong_some_indices": _tr("Wrong for some indices only"),
    }


def _of_gradients() -> dict[str, str]:
    return {
        "dropped_zero": _tr("The gradient is all zeros"),
        "dropped_none": _tr("The gradient is None"),
        "detached": _tr("Cut off by detach"),
        "ignores_grad_output": _tr("grad_output is ignored"),
        "mutates_grad_output": _tr("grad_output is changed in place"),
        "stride_blind": _tr("Strides of grad_output are misread"),
        "undefined_gradient": _tr("A gradient that is not there is not taken"),
        "double_backward_cut": _tr("The history of backward is cut"),
        "straight_through": _tr("A straight-through gradient"),
        "constant_forward": _tr("Forward does not change"),
    }


def _of_conditions() -> dict[str, str]:
    return {
        "float32_noise": _tr("Rounding of low precision"),
        "eps_sensitive": _tr("eps does not fit"),
        "kink": _tr("A kink at this point"),
        "nondeterministic": _tr("Not deterministic"),
        "hidden_state": _tr("Depends on hidden state"),
        "inplace_damage": _tr("Damaged in place"),
        "unknown": _tr("gradviz does not know"),
        "none": _tr("Nothing found"),
    }


def confidence_text(diagnosis: Diagnosis) -> str:
    """How sure it is, as one word; empty where nothing is claimed."""
    if weight_of(diagnosis) in ("calm", "doubt"):
        return ""
    return _tr("certain") if diagnosis.confidence == "certain" else _tr("likely")


def confidence_tip(diagnosis: Diagnosis) -> str:
    """What the word means, in a sentence."""
    if diagnosis.confidence == "certain":
        return _tr("The numbers leave no other reading.")
    return _tr("Another reading of the numbers is possible, but far-fetched.")
