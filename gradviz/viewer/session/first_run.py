"""Shows the first scene from the recording that ships with gradviz until it has run here."""

from __future__ import annotations

from PySide6.QtCore import QObject

from gradviz.catalogue.optional_packages import missing_packages
from gradviz.gallery.registry import FIRST_SCENE, offer_of, scene
from gradviz.model.inputs import Offer
from gradviz.viewer.inputs.form import InputsForm
from gradviz.viewer.preferences import Preferences
from gradviz.viewer.session.run_controller import RunController
from gradviz.viewer.session.session import Session

_LEVEL = "all"
"""The level of the shipped recording."""


class FirstRun(QObject):
    """Runs an offer when a window opens; meanwhile shows its shipped recording, if there is one."""

    def __init__(
        self,
        session: Session,
        run: RunController,
        form: InputsForm,
        preferences: Preferences,
        parent: QObject | None = None,
    ) -> None:
        super().__init__(parent)
        self._session, self._run, self._form = session, run, form
        self._preferences = preferences
        self._waiting: Offer | None = None
        session.ended.connect(self._on_session_ended)

    def begin(self, offer: Offer) -> None:
        """Show the shipped recording, or else run the offer as usual."""
        if self.is_final(offer):
            self._run.show_shipped(offer)
        elif self.is_recorded(offer):
            self._waiting = offer
            self._run.show_shipped(offer)
        else:
            self._run.run_offer(offer)

    def is_final(self, offer: Offer) -> bool:
        """Return whether the shipped recording is of this offer, and torch is missing to run it."""
        return _is_first(offer) and bool(missing_packages("record"))

    def is_recorded(self, offer: Offer) -> bool:
        """Return whether the shipped recording is of this offer, and helps."""
        # Once a child process is ready, a run takes no longer than opening the recording.
        if self._session.ready is not None or self._preferences.recording_level != _LEVEL:
            return False
        return _is_first(offer) and not self._form.has_other_inputs(offer)

    def _on_session_ended(self, activity: str, ending: object) -> None:
        offer, self._waiting = self._waiting, None
        if offer is not None and self._session.shows_shipped:
            self._run.run_again(offer)


def _is_first(offer: Offer) -> bool:
    return offer == offer_of(scene(FIRST_SCENE))
