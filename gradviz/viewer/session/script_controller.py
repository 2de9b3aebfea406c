"""Runs of the user's files as scripts."""

from __future__ import annotations

from pathlib import Path

from PySide6.QtCore import QObject

from gradviz.model.inputs import SCRIPT, BackwardStart, InputSpec, Offer, RunSubject
from gradviz.store.file_kind import kind_of
from gradviz.viewer.actions import Actions
from gradviz.viewer.inputs.form import InputsForm
from gradviz.viewer.library.panel import LibraryPanel
from gradviz.viewer.session.session import Session
from gradviz.viewer.translation import translate
from gradviz.viewer.view_requests import ViewRequests


def script_offer(path: Path) -> Offer:
    """Return the offer that runs a file as ``python FILE ARGUMENTS`` does."""
    return Offer(
        subject=RunSubject(path=str(path), name=SCRIPT),
        title=translate("Library", "{0} as a script").format(path.name),
        inputs=(InputSpec(name=translate("Inputs", "arguments"), kind="words"),),
        start=BackwardStart(gradient="nothing"),
    )


class ScriptController(QObject):
    """Shows the arguments of the current file's script, which Run then starts.

    Args:
        session: Tells which file is current.
        actions: The window's commands.
        panels: The library and the form.
        requests: Brings the form to the front.
        parent: Owner.
    """

    def __init__(
        self,
        session: Session,
        actions: Actions,
        panels: tuple[LibraryPanel, InputsForm],
        requests: ViewRequests,
        parent: QObject,
    ) -> None:
        super().__init__(parent)
        self._action = actions.run_as_script
        self._library, self._form = panels
        self._requests = requests
        self._path: Path | None = None
        self._action.triggered.connect(self._on_action_triggered)
        session.described.connect(self._set_path)
        session.offer_changed.connect(self._on_session_offer_changed)
        self._on_session_offer_changed(session.offer)

    def _set_path(self, path: str) -> None:
        self._path = Path(path) if path and kind_of(Path(path)) == "python" else None
        self._action.setEnabled(self._path is not None)

    def _on_action_triggered(self) -> None:
        if self._path is None:
            return
        offer = script_offer(self._path)
        self._library.mark(offer)
        self._form.show_offer(offer)
        self._requests.show_part("inputs")
        self._form.rows[0].fields.text.setFocus()

    def _on_session_offer_changed(self, offer: Offer | None) -> None:
        self._set_path("" if offer is None else offer.subject.path)
