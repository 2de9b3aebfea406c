"""Titles of what runs; those of scenes in the current language.

Traces and offers keep the English title, so that a trace reads the same in every language.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from msgspec.structs import replace

from gradviz.catalogue.language import translated
from gradviz.catalogue.scene_keys import scene_key
from gradviz.catalogue.visible_text import visible_text

# The window needs titles before its first frame, and these modules import numpy.
if TYPE_CHECKING:
    from gradviz.model.inputs import Offer
    from gradviz.model.jacobian_report import JacobianReport
    from gradviz.model.trace import Origin


def offer_title(offer: Offer) -> str:
    """Title of what is offered to run."""
    return visible_text(_title_of(offer.subject.text, offer.title))


def origin_title(origin: Origin) -> str:
    """Title of what was run."""
    return visible_text(_title_of(origin.subject, origin.title))


def with_display_title(report: JacobianReport, origin: Origin) -> JacobianReport:
    """The report with the title of its run in the current language, if that is its subject."""
    if report.subject != origin.title:
        return report
    return replace(report, subject=origin_title(origin))


def _title_of(subject: str, english: str) -> str:
    kind, _, name = subject.partition(":")
    return translated(scene_key(name, "title"), english) if kind == "scene" else english
