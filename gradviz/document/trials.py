"""Trials of a check under other conditions as a document."""

from __future__ import annotations

from collections.abc import Sequence

from gradviz.catalogue.messages import say
from gradviz.document.document import Document, Field, Row, document_of
from gradviz.model.diagnosis import Trial, TrialOutcome

_ICONS: dict[TrialOutcome, str] = {
    "raises": "error",
    "fails": "error",
    "skipped": "info",
    "passes": "check",
}


def trials_document(trials: Sequence[Trial]) -> Document:
    """Return a row for each trial, with its number as key."""
    titles = (say("trials.condition"), say("trials.outcome"), say("doctor_list.details"))
    return document_of(titles, list(map(_row, trials)))


def _row(trial: Trial) -> Row:
    tip, word = f"{trial.name}\n{trial.message}", say(f"trials.{trial.outcome}")
    outcome = Field(text=word, tip=tip, icon=_ICONS[trial.outcome])
    message = Field(text=trial.message, tone="muted")
    return Row(fields=(Field(text=trial.name, tip=tip), outcome, message))
