"""Title, severity and confidence of a diagnosis, as its card shows them."""

from __future__ import annotations

from gradviz.catalogue.diagnoses import DIAGNOSES, severity_of
from gradviz.catalogue.diagnoses.declaration import DiagnosisSeverity
from gradviz.catalogue.messages import say
from gradviz.drawing.appearance.palette import PaletteRole
from gradviz.model.diagnosis import Diagnosis
from gradviz.viewer.translation import translate

SIGNS: dict[DiagnosisSeverity, tuple[PaletteRole, PaletteRole, str]] = {
    "fault": ("error", "error_fill", "error"),
    "doubt": ("text_muted", "raised", "info"),
    "check": ("warning", "warning_fill", "warning"),
    "calm": ("ok", "ok_fill", "check"),
}
"""Foreground, background and icon of each severity."""


def diagnosis_severity(diagnosis: Diagnosis) -> DiagnosisSeverity:
    """Severity of a diagnosis; a fault if its code comes from a newer gradviz."""
    return severity_of(diagnosis.code)


def title_of(code: str) -> str:
    """Title of a diagnosis; the code itself if it comes from a newer gradviz."""
    key = f"{code}.title"
    return say(key) if code in DIAGNOSES else code


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
