"""Makes inputs for what has none, and shows how a file would declare them."""

from __future__ import annotations

from pathlib import Path

from PySide6.QtCore import QObject
from PySide6.QtGui import QAction
from PySide6.QtWidgets import QWidget

from gradviz.linter.examples_source import with_examples
from gradviz.model.inputs import Offer
from gradviz.viewer.inputs.form import InputsForm
from gradviz.viewer.session.session import Session
from gradviz.viewer.state import ViewerState
from gradviz.viewer.window.message_bar import MessageBar


class DeclarationController(QObject):
    """Carries out Make Inputs and Add to File.

    Args:
        state: Provides the theme.
        session: Makes the inputs.
        form: The form that shows them.
        run: The command that runs what the form shows.
        messages: Says why inputs cannot be declared.
        window: Parent of the dialog.
    """

    def __init__(
        self,
        state: ViewerState,
        session: Session,
        form: InputsForm,
        run: QAction,
        messages: MessageBar,
        window: QWidget,
    ) -> None:
        super().__init__(window)
        self._state = state
        self._session = session
        self._form = form
        self._run = run
        self._messages = messages
        self._window = window
        session.inputs_made.connect(self._on_session_inputs_made)
        form.undeclared.make.clicked.connect(self._on_make_clicked)
        form.undeclared.add.clicked.connect(self._on_add_clicked)

    def _on_session_inputs_made(self, made: Offer) -> None:
        self._form.fill(made)
        self._run.trigger()

    def _on_make_clicked(self) -> None:
        if self._form.own is not None:
            self._messages.hide()
            self._session.make_inputs(self._form.own)

    def _on_add_clicked(self) -> None:
        from gradviz.viewer.doctor.repair_dialog import RepairDialog

        offer = self._form.offer()
        if offer is None:
            self._messages.say(self._form.problem(), "warning")
            return
        path = Path(offer.subject.path)
        try:
            source = path.read_text(encoding="utf-8")
        except (OSError, UnicodeDecodeError) as error:
            text = self.tr("{0} cannot be read: {1}.")
            self._messages.say(text.format(path, error), "error")
            return
        changed = with_examples(source, (offer,))
        if changed is None:
            text = self.tr(
                "Inputs cannot be added to {0}. Declare them in its function examples()."
            )
            self._messages.say(text.format(path.name), "warning")
            return
        title = self.tr("Declare Inputs")
        RepairDialog(path, (source, changed), self._state.theme, self._window, title).open()
