"""Fields that show one preference each and change it at once."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TypeVar

from PySide6.QtCore import Slot
from PySide6.QtWidgets import QCheckBox, QComboBox, QLineEdit, QSpinBox, QWidget

from gradviz.viewer.widgets.wheel_guard import WheelGuard

_T = TypeVar("_T")


class ChoiceSetting(QComboBox):
    """A combo box for a preference, by position; create it with `choice_setting`.

    Args:
        name: The accessible name.
        texts: The entries.
        read: Returns the position of the current value.
        write: Receives the position of the chosen entry.
        parent: The parent widget.
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
        WheelGuard(self)
        self.addItems(texts)
        self.refresh()
        self.activated.connect(self._write)

    def refresh(self) -> None:
        """Show the current value of the preference."""
        self.setCurrentIndex(self._read())


class NumberSetting(QSpinBox):
    """A spin box for an integer preference.

    Args:
        name: The accessible name.
        bounds: Minimum and maximum.
        step: The amount added by an arrow.
        suffix: The unit.
        read: Returns the current value.
        write: Receives the new value.
        parent: The parent widget.
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
        self.setGroupSeparatorShown(True)
        # Apply a number only once it is complete, not after each digit.
        self.setKeyboardTracking(False)
        WheelGuard(self)
        self.refresh()
        self.valueChanged.connect(self._write)

    def refresh(self) -> None:
        """Show the current value of the preference."""
        self.setValue(self._read())


class SwitchSetting(QCheckBox):
    """A check box for a Boolean preference.

    Args:
        text: The label.
        read: Returns the current value.
        write: Receives the new value.
        parent: The parent widget.
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
        self.toggled.connect(self._write)

    def refresh(self) -> None:
        """Show the current value of the preference."""
        self.setChecked(self._read())


class TextSetting(QLineEdit):
    """A text field for a preference, applied on Enter or when the focus leaves it.

    Args:
        name: The accessible name.
        hint: Placeholder shown while the field is empty.
        read: Returns the current value.
        write: Receives the new value.
        parent: The parent widget.
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
        """Show the current value of the preference."""
        self.setText(self._read())

    @Slot()
    def _on_text_finished(self) -> None:
        self._write(self.text())


SettingField = ChoiceSetting | NumberSetting | SwitchSetting | TextSetting


def choice_setting(
    name: str,
    entries: Sequence[tuple[_T, str]],
    read: Callable[[], _T],
    write: Callable[[_T], None],
) -> ChoiceSetting:
    """Return a combo box for one of several values.

    Args:
        name: The accessible name.
        entries: Value and text of each entry.
        read: Returns the current value.
        write: Receives the chosen value.
    """
    values = [value for value, _ in entries]
    return ChoiceSetting(
        name,
        [text for _, text in entries],
        lambda: values.index(read()),
        lambda at: write(values[at]),
    )
