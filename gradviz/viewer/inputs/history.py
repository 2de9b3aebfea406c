"""The form's draft and its undo stack: every edit replaces one draft with the next."""

from __future__ import annotations

from PySide6.QtCore import QObject, Signal
from PySide6.QtGui import QUndoCommand, QUndoStack

from gradviz.viewer.inputs.form_draft import ArgumentDraft, FormDraft

_MOST_STEPS = 200
_TYPING = 1
"""ID of commands that can be merged: typing in the same field."""


class FormHistory(QObject):
    """Holds the form's `FormDraft`, which only changes here.

    Signals:
        changed: The draft was replaced.
        stepped: What can be undone or redone has changed.
        history_moved: Undo or redo changed the argument at this position; None if it was no
            argument.
    """

    changed = Signal()
    stepped = Signal()
    history_moved = Signal(object)

    def __init__(self, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self.stack = QUndoStack(self)
        self.stack.setUndoLimit(_MOST_STEPS)
        self._draft: FormDraft | None = None
        self._burst = 0
        # Connect here, not to the stack, which emits a signal while it is being destroyed.
        self.stack.indexChanged.connect(self.stepped)

    @property
    def draft(self) -> FormDraft | None:
        """The content of the fields; None while the form is empty."""
        return self._draft

    def begin(self, draft: FormDraft | None) -> None:
        """Show other fields and clear the undo history."""
        self.stack.clear()
        self.show(draft)

    def show(self, draft: FormDraft | None) -> None:
        """Replace the draft; only called by the commands of the stack."""
        self._draft = draft
        self.changed.emit()

    def change(self, draft: FormDraft, text: str, field: str = "") -> None:
        """Apply an edit.

        Args:
            draft: The draft after the edit.
            text: Name of the edit in the Edit menu.
            field: Consecutive edits with the same name are merged into one; empty to never merge.
        """
        if self._draft is not None and draft != self._draft:
            key = (field, self._burst) if field else None
            self.stack.push(_Edit(self, self._draft, draft, text, key))
            if key is None:
                self.end_typing()

    def change_argument(self, at: int, draft: ArgumentDraft, text: str, field: str = "") -> None:
        """Apply an edit of one argument."""
        if self._draft is not None:
            key = f"{at} {field}" if field else ""
            self.change(self._draft.with_argument(at, draft), text, key)

    def argument(self, at: int) -> ArgumentDraft | None:
        """The fields of one argument; None while the form is empty."""
        return None if self._draft is None else self._draft.arguments[at]

    def argument_before_typing(self, at: int, field: str) -> ArgumentDraft | None:
        """The fields of an argument before the current typing in one of them, if there is any."""
        last = self.stack.command(self.stack.count() - 1) if self.stack.count() else None
        key = (f"{at} {field}", self._burst)
        if isinstance(last, _Edit) and last.key == key and not self.stack.canRedo():
            return last.before.arguments[at]
        return self.argument(at)

    def end_typing(self) -> None:
        """Make further typing a separate edit."""
        self._burst += 1


class _Edit(QUndoCommand):
    """Undo command that replaces one draft with another."""

    def __init__(
        self,
        history: FormHistory,
        before: FormDraft,
        after: FormDraft,
        text: str,
        key: tuple[str, int] | None,
    ) -> None:
        super().__init__(text)
        self._history = history
        self.before = before
        self.after = after
        self.key = key
        self._pushed = False

    def undo(self) -> None:
        """Restore the draft before the edit."""
        self._history.end_typing()
        self._history.show(self.before)
        self._history.history_moved.emit(self._place())

    def redo(self) -> None:
        """Apply the edit; the stack also calls this when the command is pushed."""
        self._history.show(self.after)
        if self._pushed:
            self._history.history_moved.emit(self._place())
        self._pushed = True

    def _place(self) -> int | None:
        pairs = zip(self.before.arguments, self.after.arguments, strict=True)
        return next((at for at, (old, new) in enumerate(pairs) if old != new), None)

    def id(self) -> int:
        """ID by which the stack decides whether to merge commands."""
        return _TYPING if self.key is not None else -1

    def mergeWith(self, other: QUndoCommand) -> bool:
        """Merge with further typing in the same field."""
        if not isinstance(other, _Edit) or other.key != self.key:
            return False
        self.after = other.after
        self.setObsolete(self.after == self.before)
        return True
