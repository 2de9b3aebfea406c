"""Diagnoses that do not count against backward, or leave it open, in the guide's order."""

from __future__ import annotations

from gradviz.catalogue.diagnoses.conclusions.eps_sensitive import EPS_SENSITIVE
from gradviz.catalogue.diagnoses.conclusions.float32_noise import FLOAT32_NOISE
from gradviz.catalogue.diagnoses.conclusions.kink import KINK
from gradviz.catalogue.diagnoses.conclusions.none import NONE
from gradviz.catalogue.diagnoses.conclusions.unknown import UNKNOWN

CONCLUSIONS = (
    FLOAT32_NOISE,
    EPS_SENSITIVE,
    KINK,
    NONE,
    UNKNOWN,
)
