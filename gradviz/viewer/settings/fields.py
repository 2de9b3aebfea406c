"""Fields that show one preference each, and change it at once."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TypeVar

from PySide6.QtCore import Slot
from PySide6.QtWidgets import QCheckBox, QComboBox, QLineEdit, QSpinBox, QWidget

from gradviz.viewer.widgets.calm_wheel import CalmWheel

_T = TypeVar("_T")


class ChoiceField(QComboBox):
    """One of several, known by its place; made by `choice_field`.

    Args:
        name: For screen readers.
        texts: What is shown of each.
        read: Gives the place of what is preferred now.
        write: Takes the place of what was chosen.
        parent: The widget around it.
    """

    def __init__(
        self,
        name: str,
        texts: Sequence[str],
        read: Callable[[], int],
        write: Callable[[int], None],
        parent: QWidget | None = None,
    ) -> None:
        super().__init__(parent)
        self._read, self._write = read, write
        self.setAccessibleName(name)
        CalmWheel(self)
        self.addItems(texts)
        self.refresh()
        self.activated.connect(self._on_entry_activated)

    def refresh(self) -> None:
        """Shows what is preferred now."""
        self.setCurrentIndex(self._read())

    @Slot(int)
    def _on_entry_activated(self, at: int) -> None:
        self._write(at)


class NumberField(QSpinBox):
    """A whole number.

    Args:
        name: For screen readers.
        bounds: The least and the most.
        step: How far an arrow goes.
        suffix: The unit.
        read: Gives what is preferred now.
        write: Takes what was entered.
        parent: The widget around it.
    """

    def __init__(
        self,
        name: str,
        bounds: tuple[int, int],
        step: int,
        suffix: str,
        read: Callable[[], int],
        write: Callable[[int], None],
        parent: QWidget | None = None,
    ) -> None:
        super().__init__(parent)
        self._read, self._write = read, write
        self.setAccessibleName(name)
        self.setRange(*bounds)
        self.setSingleStep(step)
        self.setSuffix(suffix)
        # A number is taken when it is complete, not at each of its digits.
        self.setKeyboardTracking(False)
        CalmWheel(self)
        self.refresh()
        self.valueChanged.connect(self._on_value_changed)

    def refresh(self) -> None:
        """Shows what is preferred now."""
        self.setValue(self._read())

    @Slot(int)
    def _on_value_changed(self, value: int) -> None:
        self._write(value)


class SwitchField(QCheckBox):
    """On or off.

    Args:
        text: What is on.
        read: Gives what is preferred now.
        write: Takes what was chosen.
        parent: The widget around it.
    """

    def __init__(
        self,
        text: str,
        read: Callable[[], bool],
        write: Callable[[bool], None],
        parent: QWidget | None = None,
    ) -> None:
        super().__init__(text, parent)
        self._read, self._write = read, write
        self.refresh()
        self.toggled.connect(self._on_box_toggled)

    def refresh(self) -> None:
        """Shows what is preferred now."""
        self.setChecked(self._read())

    @Slot(bool)
    def _on_box_toggled(self, checked: bool) -> None:
        self._write(checked)


class TextField(QLineEdit):
    """A text, taken when Enter is pressed or the field is left.

    Args:
        name: For screen readers.
        hint: What stands there while it is empty.
        read: Gives what is preferred now.
        write: Takes what was entered.
        parent: The widget around it.
    """

    def __init__(
        self,
        name: str,
        hint: str,
        read: Callable[[], str],
        write: Callable[[str], None],
        parent: QWidget | None = None,
    ) -> None:
        super().__init__(parent)
        self._read, self._write = read, write
        self.setAccessibleName(name)
        self.setPlaceholderText(hint)
        self.refresh()
        self.editingFinished.connect(self._on_text_finished)

    def refresh(self) -> None:
        """Shows what is preferred now."""
        self.setText(self._read())

    @Slot()
    def _on_text_finished(self) -> None:
        self._write(self.text())


Field = ChoiceField | NumberField | SwitchField | TextField


def choice_field(
    name: str,
    entries: Sequence[tuple[_T, str]],
    read: Callable[[], _T],
    write: Callable[[_T], None],
) -> ChoiceField:
    """A field for one of several values.

    Args:
        name: For screen readers.
        entries: Value and text of each.
        read: Gives what is preferred now.
        write: Takes what was chosen.
    """
    values = [value for value, _ in entries]
    return ChoiceField(
        name,
        [text for _, text in entries],
        lambda: values.index(read()),
        lambda at: write(values[at]),
    )
