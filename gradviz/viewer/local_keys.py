"""Keys that work only in one focused widget, shared by panels, tooltips and the key sheet.

Window-wide keys are the shortcuts of `gradviz.viewer.actions.Actions`.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cache
from typing import Literal

from PySide6.QtCore import QKeyCombination, Qt
from PySide6.QtGui import QKeyEvent, QKeySequence

from gradviz.viewer.translation import QT_TRANSLATE_NOOP, translate

KeyScope = Literal[
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


KeySequences = list[QKeySequence | QKeySequence.StandardKey | str]
"""Keys of a command: standard keys, or strings in the format of `QKeySequence`."""

MAC_ALTERNATIVES = {
    "F5": "Ctrl+Return",
    "F8": "Ctrl+\\",
    "Shift+F8": "Ctrl+Shift+\\",
    "F9": "Ctrl+B",
    "F10": "Ctrl+]",
    "Shift+F10": "Ctrl+[",
    "F11": "Ctrl+Shift+]",
    "Shift+F11": "Ctrl+Shift+[",
}
"""Alternatives on a Mac, where function keys are media keys. Qt's Ctrl is Cmd there."""


@dataclass(frozen=True, slots=True)
class LocalKey:
    """A command of one widget and its keys.

    Attributes:
        command: Stable identifier of the command.
        keys: Alternative keys, in the format of `QKeySequence`.
        text: Description for people, to be translated.
    """

    command: str
    keys: tuple[str, ...]
    text: str


_STEPS = (
    LocalKey("next", ("Right",), QT_TRANSLATE_NOOP("Keys", "Next step")),
    LocalKey("previous", ("Left",), QT_TRANSLATE_NOOP("Keys", "Previous step")),
    LocalKey("first", ("Home",), QT_TRANSLATE_NOOP("Keys", "First step")),
    LocalKey("last", ("End",), QT_TRANSLATE_NOOP("Keys", "Last step")),
)
_LEVELS = (
    LocalKey("into", ("Down",), QT_TRANSLATE_NOOP("Keys", "Step into stages, lines and ops")),
    LocalKey("out", ("Up",), QT_TRANSLATE_NOOP("Keys", "Step out")),
)
_PLAY = LocalKey("play", ("Space",), QT_TRANSLATE_NOOP("Keys", "Play or pause"))
_TENSOR = (
    LocalKey("copy", ("Ctrl+C",), QT_TRANSLATE_NOOP("Keys", "Copy as torch.tensor(…)")),
    LocalKey("leave", ("Esc",), QT_TRANSLATE_NOOP("Keys", "Unpin the element")),
)

LOCAL_KEYS: dict[KeyScope, tuple[LocalKey, ...]] = {
    "timeline": (
        *_STEPS,
        *_LEVELS,
        _PLAY,
        LocalKey("zoom-in", ("+", "="), QT_TRANSLATE_NOOP("Keys", "Show fewer steps")),
        LocalKey("zoom-out", ("-",), QT_TRANSLATE_NOOP("Keys", "Show more steps")),
        LocalKey("zoom-all", ("0",), QT_TRANSLATE_NOOP("Keys", "Show all steps")),
    ),
    "inspector": (*_STEPS, *_LEVELS),
    "source": (
        *_STEPS,
        *_LEVELS,
        LocalKey(
            "enter",
            ("Enter",),
            QT_TRANSLATE_NOOP("Keys", "Enlarge the local variable at the cursor"),
        ),
        LocalKey(
            "copy",
            ("Ctrl+C",),
            QT_TRANSLATE_NOOP("Keys", "Copy the selected text (select with Shift and arrow keys)"),
        ),
    ),
    "tensor": (
        LocalKey(
            "left", ("Shift+Left",), QT_TRANSLATE_NOOP("Keys", "Go to the element on the left")
        ),
        LocalKey(
            "right", ("Shift+Right",), QT_TRANSLATE_NOOP("Keys", "Go to the element on the right")
        ),
        LocalKey("up", ("Shift+Up",), QT_TRANSLATE_NOOP("Keys", "Go to the element above")),
        LocalKey("down", ("Shift+Down",), QT_TRANSLATE_NOOP("Keys", "Go to the element below")),
        LocalKey(
            "enter",
            ("Enter",),
            QT_TRANSLATE_NOOP("Keys", "Enlarge the tensor; on an element, pin it in every view"),
        ),
        *_TENSOR,
    ),
    "large": (
        LocalKey("left", ("Left",), QT_TRANSLATE_NOOP("Keys", "Go to the element on the left")),
        LocalKey("right", ("Right",), QT_TRANSLATE_NOOP("Keys", "Go to the element on the right")),
        LocalKey("up", ("Up",), QT_TRANSLATE_NOOP("Keys", "Go to the element above")),
        LocalKey("down", ("Down",), QT_TRANSLATE_NOOP("Keys", "Go to the element below")),
        LocalKey("enter", ("Enter",), QT_TRANSLATE_NOOP("Keys", "Pin the element in every view")),
        *_TENSOR,
    ),
    "graph": (
        LocalKey("up", ("Up",), QT_TRANSLATE_NOOP("Keys", "Go to the node above")),
        LocalKey("down", ("Down",), QT_TRANSLATE_NOOP("Keys", "Go to the node below")),
        LocalKey("left", ("Left",), QT_TRANSLATE_NOOP("Keys", "Go to the node on the left")),
        LocalKey("right", ("Right",), QT_TRANSLATE_NOOP("Keys", "Go to the node on the right")),
        LocalKey(
            "enter",
            ("Enter",),
            QT_TRANSLATE_NOOP("Keys", "Open the group, or go to the node's next step"),
        ),
        LocalKey(
            "centre",
            ("F",),
            QT_TRANSLATE_NOOP("Keys", "Center the node; press again to fit the graph"),
        ),
        LocalKey("describe", ("I",), QT_TRANSLATE_NOOP("Keys", "Show details of the node")),
        *_STEPS[2:],
        _PLAY,
        LocalKey("unselect", ("Esc",), QT_TRANSLATE_NOOP("Keys", "Select nothing")),
    ),
    "presenter": (
        LocalKey(
            "next",
            ("Right", "Space"),
            QT_TRANSLATE_NOOP("Keys", "Next step; in quiz mode, reveal the answer first"),
        ),
        LocalKey("previous", ("Left",), QT_TRANSLATE_NOOP("Keys", "Previous step")),
        *_STEPS[2:],
        *_LEVELS,
        LocalKey(
            "black",
            ("B", "."),
            QT_TRANSLATE_NOOP("Keys", "Black screen; any key brings the window back"),
        ),
        LocalKey(
            "guess",
            ("H",),
            QT_TRANSLATE_NOOP(
                "Keys", "Quiz mode: hide what each step computes until you reveal it"
            ),
        ),
        LocalKey("leave", ("Esc",), QT_TRANSLATE_NOOP("Keys", "Leave presenter mode")),
    ),
    "library": (LocalKey("run", ("Enter",), QT_TRANSLATE_NOOP("Keys", "Run the selected entry")),),
    "console": (
        LocalKey(
            "step", ("Enter",), QT_TRANSLATE_NOOP("Keys", "Go to the step that printed the line")
        ),
    ),
    "ops": (
        *_STEPS[:2],
        LocalKey(
            "go", ("Enter",), QT_TRANSLATE_NOOP("Keys", "Go to the op, line or stage of the row")
        ),
        LocalKey("copy", ("Ctrl+C",), QT_TRANSLATE_NOOP("Keys", "Copy the row")),
    ),
    "doctor": (
        LocalKey("go", ("Enter",), QT_TRANSLATE_NOOP("Keys", "Go to the step of the finding")),
    ),
    "breakpoints": (
        LocalKey("go", ("Enter",), QT_TRANSLATE_NOOP("Keys", "Go to the next hit")),
        LocalKey("switch", ("Space",), QT_TRANSLATE_NOOP("Keys", "Turn the breakpoint on or off")),
        LocalKey(
            "remove", ("Del", "Backspace"), QT_TRANSLATE_NOOP("Keys", "Remove the breakpoint")
        ),
    ),
    "changes": (
        LocalKey("edit", ("Enter",), QT_TRANSLATE_NOOP("Keys", "Edit the change")),
        LocalKey("switch", ("Space",), QT_TRANSLATE_NOOP("Keys", "Turn the change on or off")),
        LocalKey("remove", ("Del", "Backspace"), QT_TRANSLATE_NOOP("Keys", "Remove the change")),
    ),
    "outline": (
        LocalKey(
            "step",
            ("Enter",),
            QT_TRANSLATE_NOOP("Keys", "Go to the node's step; on a module, expand or collapse it"),
        ),
    ),
    "elements": (
        LocalKey("down", ("Enter",), QT_TRANSLATE_NOOP("Keys", "Go to the element below")),
        LocalKey(
            "right",
            ("Tab",),
            QT_TRANSLATE_NOOP(
                "Keys", "Go to the next element; from the last one, to the next field"
            ),
        ),
        LocalKey("left", ("Shift+Tab",), QT_TRANSLATE_NOOP("Keys", "Go to the previous element")),
        LocalKey("leave", ("Ctrl+Tab",), QT_TRANSLATE_NOOP("Keys", "Go to the next field")),
        LocalKey("edit", ("F2",), QT_TRANSLATE_NOOP("Keys", "Edit the element")),
        LocalKey(
            "zero",
            ("Del", "Backspace"),
            QT_TRANSLATE_NOOP("Keys", "Set the selected elements to 0"),
        ),
        LocalKey(
            "copy",
            ("Ctrl+C",),
            QT_TRANSLATE_NOOP("Keys", "Copy the selected elements in spreadsheet format"),
        ),
        LocalKey(
            "paste",
            ("Ctrl+V",),
            QT_TRANSLATE_NOOP("Keys", "Paste a table, a list or a printed tensor"),
        ),
    ),
    "find": (
        LocalKey("next", ("Enter", "Down"), QT_TRANSLATE_NOOP("Keys", "Next match")),
        LocalKey("previous", ("Shift+Enter", "Up"), QT_TRANSLATE_NOOP("Keys", "Previous match")),
        LocalKey("step", ("Ctrl+Enter",), QT_TRANSLATE_NOOP("Keys", "Go to the step of the match")),
        LocalKey("leave", ("Esc",), QT_TRANSLATE_NOOP("Keys", "Close the search")),
    ),
    "palette": (
        LocalKey("next", ("Down",), QT_TRANSLATE_NOOP("Keys", "Next command")),
        LocalKey("previous", ("Up",), QT_TRANSLATE_NOOP("Keys", "Previous command")),
        LocalKey("run", ("Enter",), QT_TRANSLATE_NOOP("Keys", "Run the command")),
        LocalKey("leave", ("Esc",), QT_TRANSLATE_NOOP("Keys", "Close the command palette")),
    ),
}
"""Local keys of each widget, in the order of the key sheet."""


def with_mac_alternatives(keys: KeySequences, platform: str) -> KeySequences:
    """Add the Mac alternatives to a command's keys if the platform is a Mac.

    Args:
        keys: The keys on other platforms.
        platform: A platform name as in `sys.platform`.
    """
    if platform != "darwin":
        return keys
    twins = [
        MAC_ALTERNATIVES[key] for key in keys if isinstance(key, str) and key in MAC_ALTERNATIVES
    ]
    return [*keys, *twins]


def pressed(place: KeyScope, event: QKeyEvent) -> str:
    """Return the command of a key press in a widget; empty if the key does nothing there."""
    return _commands(place).get(_portable(event), "")


def keys_of(place: KeyScope, command: str) -> tuple[str, ...]:
    """Return the keys of a widget's command in the platform's own notation."""
    native = QKeySequence.SequenceFormat.NativeText
    found = next(each for each in LOCAL_KEYS[place] if each.command == command)
    return tuple(QKeySequence(key).toString(native) for key in found.keys)


def text_of(key: LocalKey) -> str:
    """Return the translated description of a local key."""
    return translate("Keys", key.text)


@cache
def _commands(place: KeyScope) -> dict[str, str]:
    return {key: each.command for each in LOCAL_KEYS[place] for key in each.keys}


def _portable(event: QKeyEvent) -> str:
    key = Qt.Key(event.key())
    if key == Qt.Key.Key_Return:
        key = Qt.Key.Key_Enter
    modifiers = event.modifiers() & ~Qt.KeyboardModifier.KeypadModifier
    sequence = QKeySequence(QKeyCombination(modifiers, key))
    return sequence.toString(QKeySequence.SequenceFormat.PortableText)
