"""The Edit menu's commands for the inputs: undo, redo and reset."""

from __future__ import annotations

from PySide6.QtCore import QObject, Slot

from gradviz.viewer.actions import Actions
from gradviz.viewer.inputs.form import InputsForm


class UndoControl(QObject):
    """Connects the window's commands to the form."""

    def __init__(self, actions: Actions, form: InputsForm, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._actions = actions
        self._form = form
        self._stack = form.history.stack
        actions.undo.triggered.connect(self._stack.undo)
        actions.redo.triggered.connect(self._stack.redo)
        actions.reset.triggered.connect(form.reset)
        form.changed.connect(self._on_form_changed)
        form.history.stepped.connect(self._on_form_changed)
        self._on_form_changed()

    @Slot()
    def _on_form_changed(self) -> None:
        actions, stack = self._actions, self._stack
        actions.undo.setEnabled(stack.canUndo())
        actions.redo.setEnabled(stack.canRedo())
        actions.reset.setEnabled(self._form.is_changed)
        undo, redo = self.tr("&Undo"), self.tr("&Redo")
        if stack.canUndo():
            undo = self.tr("&Undo: {0}").format(stack.undoText().replace("&", "&&"))
        if stack.canRedo():
            redo = self.tr("&Redo: {0}").format(stack.redoText().replace("&", "&&"))
        actions.undo.setText(undo)
        actions.redo.setText(redo)
