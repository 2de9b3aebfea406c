"""The keys that act only where the focus is: panels, tooltips and the key sheet use this table.

The keys of the whole window are the shortcuts of `gradviz.viewer.actions.Actions`.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cache
from typing import Literal

from PySide6.QtCore import QCoreApplication, QKeyCombination, Qt
from PySide6.QtGui import QKeyEvent, QKeySequence

Place = Literal[
    "timeline",
    "graph",
    "presenter",
    "inspector",
    "source",
    "tensor",
    "large",
    "library",
    "console",
    "ops",
    "doctor",
    "breakpoints",
    "changes",
    "outline",
    "elements",
    "find",
    "palette",
]


Keys = list[QKeySequence | QKeySequence.StandardKey | str]
"""Of a command: standard ones, or as `QKeySequence` reads them."""

MAC_TWINS = {
    "F5": "Ctrl+Return",
    "F8": "Ctrl+\\",
    "Shift+F8": "Ctrl+Shift+\\",
    "F9": "Ctrl+B",
    "F10": "Ctrl+]",
    "Shift+F10": "Ctrl+[",
    "F11": "Ctrl+Shift+]",
    "Shift+F11": "Ctrl+Shift+[",
}
"""Function keys are media keys on a Mac's keyboard; Qt's Ctrl is Cmd there."""


@dataclass(frozen=True, slots=True)
class LocalKey:
    """What some keys do in one place.

    Attributes:
        command: Stable word for what they do.
        keys: Each of them does it; as `QKeySequence` reads them.
        text: What they do, to be translated.
    """

    command: str
    keys: tuple[str, ...]
    text: str


_STEPS = (
    LocalKey("next", ("Right",), "Next step"),
    LocalKey("previous", ("Left",), "Previous step"),
    LocalKey("first", ("Home",), "First step"),
    LocalKey("last", ("End",), "Last step"),
)
_LEVELS = (
    LocalKey("into", ("Down",), "Step into: stages, lines, ops"),
    LocalKey("out", ("Up",), "Step out"),
)
_PLAY = LocalKey("play", ("Space",), "Play or pause")
_TENSOR = (
    LocalKey("copy", ("Ctrl+C",), "Copy it as torch.tensor(…)"),
    LocalKey("leave", ("Esc",), "Let go of the pinned element"),
)

LOCAL_KEYS: dict[Place, tuple[LocalKey, ...]] = {
    "timeline": (
        *_STEPS,
        *_LEVELS,
        _PLAY,
        LocalKey("zoom-in", ("+", "="), "Show fewer steps"),
        LocalKey("zoom-out", ("-",), "Show more steps"),
        LocalKey("zoom-all", ("0",), "Show all steps"),
    ),
    "inspector": (*_STEPS, *_LEVELS),
    "source": (
        *_STEPS,
        *_LEVELS,
        LocalKey("enter", ("Enter",), "On a local variable: see it large"),
        LocalKey("copy", ("Ctrl+C",), "Copy the selected text; Shift with arrows selects"),
    ),
    "tensor": (
        LocalKey("left", ("Shift+Left",), "To the element on the left"),
        LocalKey("right", ("Shift+Right",), "To the element on the right"),
        LocalKey("up", ("Shift+Up",), "To the element above"),
        LocalKey("down", ("Shift+Down",), "To the element below"),
        LocalKey("enter", ("Enter",), "See it large; on an element: pin it, wherever it is shown"),
        *_TENSOR,
    ),
    "large": (
        LocalKey("left", ("Left",), "To the element on the left"),
        LocalKey("right", ("Right",), "To the element on the right"),
        LocalKey("up", ("Up",), "To the element above"),
        LocalKey("down", ("Down",), "To the element below"),
        LocalKey("enter", ("Enter",), "Pin the element, wherever it is shown"),
        *_TENSOR,
    ),
    "graph": (
        LocalKey("up", ("Up",), "To the node above"),
        LocalKey("down", ("Down",), "To the node below"),
        LocalKey("left", ("Left",), "To the node on the left"),
        LocalKey("right", ("Right",), "To the node on the right"),
        LocalKey("enter", ("Enter",), "Open the folded group, or go to the node's next step"),
        LocalKey("centre", ("F",), "Centre the node; again: fit all"),
        LocalKey("describe", ("I",), "Details of the node"),
        *_STEPS[2:],
        _PLAY,
        LocalKey("unselect", ("Esc",), "Select nothing"),
    ),
    "presenter": (
        LocalKey("next", ("Right", "Space"), "Next step, or the answer of this one"),
        LocalKey("previous", ("Left",), "Previous step"),
        *_STEPS[2:],
        *_LEVELS,
        LocalKey("black", ("B", "."), "Black screen; any key brings the window back"),
        LocalKey("guess", ("H",), "Hide what each step computes until the next click"),
        LocalKey("leave", ("Esc",), "Leave presenter mode"),
    ),
    "library": (LocalKey("run", ("Enter",), "Run what is chosen"),),
    "console": (LocalKey("step", ("Enter",), "To the step that printed the line"),),
    "ops": (
        *_STEPS[:2],
        LocalKey("go", ("Enter",), "To the op, line or stage of the row"),
        LocalKey("copy", ("Ctrl+C",), "Copy the row"),
    ),
    "doctor": (LocalKey("go", ("Enter",), "To the step where it was found"),),
    "breakpoints": (
        LocalKey("go", ("Enter",), "To the next place at which it is met"),
        LocalKey("switch", ("Space",), "Switch the breakpoint on or off"),
        LocalKey("remove", ("Del", "Backspace"), "Remove the breakpoint"),
    ),
    "changes": (
        LocalKey("edit", ("Enter",), "Edit the change"),
        LocalKey("switch", ("Space",), "Switch the change on or off"),
        LocalKey("remove", ("Del", "Backspace"), "Remove the change"),
    ),
    "outline": (
        LocalKey("step", ("Enter",), "To the step of the node; of a module: open or close it"),
    ),
    "elements": (
        LocalKey("down", ("Enter",), "To the element below"),
        LocalKey("right", ("Tab",), "To the next element; from the last one, to the next field"),
        LocalKey("left", ("Shift+Tab",), "To the element before"),
        LocalKey("leave", ("Ctrl+Tab",), "To the next field"),
        LocalKey("edit", ("F2",), "Edit the element"),
        LocalKey("zero", ("Del", "Backspace"), "Set what is selected to 0"),
        LocalKey("copy", ("Ctrl+C",), "Copy what is selected, as for a spreadsheet"),
        LocalKey("paste", ("Ctrl+V",), "Paste a table, a list or a printed tensor"),
    ),
    "find": (
        LocalKey("next", ("Enter", "Down"), "Next match"),
        LocalKey("previous", ("Shift+Enter", "Up"), "Previous match"),
        LocalKey("step", ("Ctrl+Enter",), "To the step of the match"),
        LocalKey("leave", ("Esc",), "Stop finding"),
    ),
    "palette": (
        LocalKey("next", ("Down",), "Next command"),
        LocalKey("previous", ("Up",), "Previous command"),
        LocalKey("run", ("Enter",), "Do it"),
        LocalKey("leave", ("Esc",), "Close the list of commands"),
    ),
}
"""By place, in the order of the key sheet."""


def with_twins(keys: Keys, platform: str) -> Keys:
    """Keys of a command, on a Mac those beside the function keys too.

    Args:
        keys: What they are elsewhere.
        platform: As `sys.platform` has it.
    """
    if platform != "darwin":
        return keys
    twins = [MAC_TWINS[key] for key in keys if isinstance(key, str) and key in MAC_TWINS]
    return [*keys, *twins]


def pressed(place: Place, event: QKeyEvent) -> str:
    """The command of a key in a place; nothing where the key means nothing there."""
    return _commands(place).get(_portable(event), "")


def keys_of(place: Place, command: str) -> tuple[str, ...]:
    """The keys of a command in a place, as people of this platform write them."""
    native = QKeySequence.SequenceFormat.NativeText
    found = next(each for each in LOCAL_KEYS[place] if each.command == command)
    return tuple(QKeySequence(key).toString(native) for key in found.keys)


def text_of(key: LocalKey) -> str:
    """What a key does, translated."""
    return QCoreApplication.translate("Keys", key.text)


@cache
def _commands(place: Place) -> dict[str, str]:
    return {key: each.command for each in LOCAL_KEYS[place] for key in each.keys}


def _portable(event: QKeyEvent) -> str:
    key = Qt.Key(event.key())
    if key == Qt.Key.Key_Return:
        key = Qt.Key.Key_Enter
    modifiers = event.modifiers() & ~Qt.KeyboardModifier.KeypadModifier
    sequence = QKeySequence(QKeyCombination(modifiers, key))
    return sequence.toString(QKeySequence.SequenceFormat.PortableText)
