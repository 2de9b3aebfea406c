"""The form's fields and their undo stack: every edit is a step from one draft to the next."""

from __future__ import annotations

from PySide6.QtCore import QObject, Signal, Slot
from PySide6.QtGui import QUndoCommand, QUndoStack

from gradviz.viewer.inputs.draft import Draft, FormDraft

_MOST_STEPS = 200
_TYPING = 1
"""Id of the commands that may become one: those of typing in one field."""


class FormHistory(QObject):
    """Holds the `FormDraft` that is shown; it changes only here.

    Signals:
        changed: The draft is another one.
        stepped: There is more or less to undo or to redo.
        revisited: By undo or redo: the place of the argument that it changed; None if none.
    """

    changed = Signal()
    stepped = Signal()
    revisited = Signal(object)

    def __init__(self, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self.stack = QUndoStack(self)
        self.stack.setUndoLimit(_MOST_STEPS)
        self._draft: FormDraft | None = None
        self._burst = 0
        # Others listen here: while it is deleted, the stack says that it is empty.
        self.stack.indexChanged.connect(self._on_stack_index_changed)

    @property
    def draft(self) -> FormDraft | None:
        """What stands in the fields; None while there is nothing to fill in."""
        return self._draft

    def begin(self, draft: FormDraft | None) -> None:
        """Shows other fields, whose history begins here."""
        self.stack.clear()
        self.show(draft)

    def show(self, draft: FormDraft | None) -> None:
        """Replaces the draft; for the commands of the stack."""
        self._draft = draft
        self.changed.emit()

    def change(self, draft: FormDraft, text: str, field: str = "") -> None:
        """Takes an edit.

        Args:
            draft: The fields after it.
            text: What was edited, for the Edit menu.
            field: Typing in one field, one after the other, is one step; empty for other edits.
        """
        if self._draft is not None and draft != self._draft:
            key = (field, self._burst) if field else None
            self.stack.push(_Edit(self, self._draft, draft, text, key))
            if key is None:
                self.end_typing()

    def change_argument(self, at: int, draft: Draft, text: str, field: str = "") -> None:
        """Takes an edit of one argument."""
        if self._draft is not None:
            key = f"{at} {field}" if field else ""
            self.change(self._draft.with_argument(at, draft), text, key)

    def argument(self, at: int) -> Draft | None:
        """The fields of one argument."""
        return None if self._draft is None else self._draft.arguments[at]

    def argument_before_typing(self, at: int, field: str) -> Draft | None:
        """The fields as they were before the typing that goes on in one of them, if it does."""
        last = self.stack.command(self.stack.count() - 1) if self.stack.count() else None
        key = (f"{at} {field}", self._burst)
        if isinstance(last, _Edit) and last.key == key and not self.stack.canRedo():
            return last.before.arguments[at]
        return self.argument(at)

    def end_typing(self) -> None:
        """What is typed from now on is a step of its own."""
        self._burst += 1

    @Slot(int)
    def _on_stack_index_changed(self, at: int) -> None:
        self.stepped.emit()


class _Edit(QUndoCommand):
    """From one draft to the next."""

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
        """Goes back."""
        self._history.end_typing()
        self._history.show(self.before)
        self._history.revisited.emit(self._place())

    def redo(self) -> None:
        """Goes on; for the first time when it is pushed."""
        self._history.show(self.after)
        if self._pushed:
            self._history.revisited.emit(self._place())
        self._pushed = True

    def _place(self) -> int | None:
        pairs = zip(self.before.arguments, self.after.arguments, strict=True)
        return next((at for at, (old, new) in enumerate(pairs) if old != new), None)

    def id(self) -> int:
        """Which commands it may be merged with."""
        return _TYPING if self.key is not None else -1

    def mergeWith(self, other: QUndoCommand) -> bool:
        """Takes over what was typed next in the same field."""
        if not isinstance(other, _Edit) or other.key != self.key:
            return False
        self.after = other.after
        self.setObsolete(self.after == self.before)
        return True
