"""Keys that work only in one focused widget, shared by panels, tooltips and the key sheet.

The keys of a panel are part of its `gradviz.viewer.panel_spec.PanelSpec`.

Window-wide keys are the shortcuts of `gradviz.viewer.actions.Actions`.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache

from PySide6.QtCore import QKeyCombination, Qt
from PySide6.QtGui import QKeyEvent, QKeySequence

from gradviz.viewer.translation import QT_TRANSLATE_NOOP, translate

Key = QKeySequence | QKeySequence.StandardKey | str
"""A key of a command: a standard key, or a string in the format of `QKeySequence`."""

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
        text: Description for people, marked for translation in the context ``Keys``.
    """

    command: str
    keys: tuple[str, ...]
    text: str


@dataclass(frozen=True, slots=True)
class KeyScope:
    """The keys of a widget while it has the focus.

    Attributes:
        title: Heading in the list of all keys, marked for translation in the context ``Keys``.
        keys: The keys, in the order of the list.
    """

    title: str
    keys: tuple[LocalKey, ...]


STEP_KEYS = (
    LocalKey("next", ("Right",), QT_TRANSLATE_NOOP("Keys", "Next step")),
    LocalKey("previous", ("Left",), QT_TRANSLATE_NOOP("Keys", "Previous step")),
    LocalKey("first", ("Home",), QT_TRANSLATE_NOOP("Keys", "First step")),
    LocalKey("last", ("End",), QT_TRANSLATE_NOOP("Keys", "Last step")),
)
LEVEL_KEYS = (
    LocalKey("into", ("Down",), QT_TRANSLATE_NOOP("Keys", "Step into stages, lines and ops")),
    LocalKey("out", ("Up",), QT_TRANSLATE_NOOP("Keys", "Step out")),
)
_PLAY = LocalKey("play", ("Space",), QT_TRANSLATE_NOOP("Keys", "Play or pause"))
_TENSOR = (
    LocalKey(
        "larger",
        ("+", "="),
        QT_TRANSLATE_NOOP("Keys", "Number of an input: run again with a larger one; drag it, too"),
    ),
    LocalKey(
        "smaller",
        ("-",),
        QT_TRANSLATE_NOOP("Keys", "Number of an input: run again with a smaller one"),
    ),
    LocalKey("copy", ("Ctrl+C",), QT_TRANSLATE_NOOP("Keys", "Copy as torch.tensor(…)")),
    LocalKey("leave", ("Esc",), QT_TRANSLATE_NOOP("Keys", "Unpin the element")),
)

TIMELINE_KEYS = KeyScope(
    QT_TRANSLATE_NOOP("Keys", "In the timeline"),
    (
        *STEP_KEYS,
        *LEVEL_KEYS,
        _PLAY,
        LocalKey("zoom-in", ("+", "="), QT_TRANSLATE_NOOP("Keys", "Show fewer steps")),
        LocalKey("zoom-out", ("-",), QT_TRANSLATE_NOOP("Keys", "Show more steps")),
        LocalKey("zoom-all", ("0",), QT_TRANSLATE_NOOP("Keys", "Show all steps")),
    ),
)
GRAPH_KEYS = KeyScope(
    QT_TRANSLATE_NOOP("Keys", "In the graph"),
    (
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
        *STEP_KEYS[2:],
        _PLAY,
        LocalKey("unselect", ("Esc",), QT_TRANSLATE_NOOP("Keys", "Select nothing")),
    ),
)
PRESENTER_KEYS = KeyScope(
    QT_TRANSLATE_NOOP("Keys", "In Presenter Mode"),
    (
        LocalKey(
            "next",
            ("Right", "Space"),
            QT_TRANSLATE_NOOP("Keys", "Next step; in quiz mode, reveal the answer first"),
        ),
        LocalKey("previous", ("Left",), QT_TRANSLATE_NOOP("Keys", "Previous step")),
        *STEP_KEYS[2:],
        *LEVEL_KEYS,
        LocalKey(
            "black",
            ("B", "."),
            QT_TRANSLATE_NOOP("Keys", "Black screen; any key brings the window back"),
        ),
        LocalKey(
            "hide_answers",
            ("H",),
            QT_TRANSLATE_NOOP(
                "Keys",
                "Quiz mode: hide what each step computes until you reveal it; press again to hide "
                "this step and all later ones again",
            ),
        ),
        LocalKey(
            "show_answers",
            ("Shift+H",),
            QT_TRANSLATE_NOOP("Keys", "Show all answers"),
        ),
        LocalKey(
            "pen", ("P",), QT_TRANSLATE_NOOP("Keys", "Draw with the mouse until the next step")
        ),
        LocalKey(
            "spotlight",
            ("L",),
            QT_TRANSLATE_NOOP("Keys", "Spotlight around the pointer until the next step"),
        ),
        LocalKey(
            "leave",
            ("Esc",),
            QT_TRANSLATE_NOOP(
                "Keys", "Put away pen and spotlight; close the guide; then leave presenter mode"
            ),
        ),
    ),
)
STAGE_NUMBER_KEYS = KeyScope(
    QT_TRANSLATE_NOOP("Keys", "On a number of an input, in Presenter Mode"),
    (
        LocalKey(
            "larger",
            ("Up",),
            QT_TRANSLATE_NOOP("Keys", "Run again with a larger number; drag, too"),
        ),
        LocalKey(
            "smaller", ("Down",), QT_TRANSLATE_NOOP("Keys", "Run again with a smaller number")
        ),
        LocalKey("next", ("Tab",), QT_TRANSLATE_NOOP("Keys", "Choose the next number")),
        LocalKey(
            "previous", ("Shift+Tab",), QT_TRANSLATE_NOOP("Keys", "Choose the previous number")
        ),
        LocalKey(
            "reset",
            ("Backspace", "Del"),
            QT_TRANSLATE_NOOP("Keys", "Go back to the recorded run"),
        ),
        LocalKey(
            "leave",
            ("Esc",),
            QT_TRANSLATE_NOOP("Keys", "Choose no number, and go back to the recorded run"),
        ),
    ),
)
SPOTLIGHT_KEYS = KeyScope(
    QT_TRANSLATE_NOOP("Keys", "With the spotlight"),
    (
        LocalKey("larger", ("+", "="), QT_TRANSLATE_NOOP("Keys", "Larger circle; the wheel, too")),
        LocalKey("smaller", ("-",), QT_TRANSLATE_NOOP("Keys", "Smaller circle")),
    ),
)
TENSOR_KEYS = KeyScope(
    QT_TRANSLATE_NOOP("Keys", "On a tensor in the inspector"),
    (
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
)
LARGE_TENSOR_KEYS = KeyScope(
    QT_TRANSLATE_NOOP("Keys", "On a tensor in its own window"),
    (
        LocalKey("left", ("Left",), QT_TRANSLATE_NOOP("Keys", "Go to the element on the left")),
        LocalKey("right", ("Right",), QT_TRANSLATE_NOOP("Keys", "Go to the element on the right")),
        LocalKey("up", ("Up",), QT_TRANSLATE_NOOP("Keys", "Go to the element above")),
        LocalKey("down", ("Down",), QT_TRANSLATE_NOOP("Keys", "Go to the element below")),
        LocalKey("enter", ("Enter",), QT_TRANSLATE_NOOP("Keys", "Pin the element in every view")),
        *_TENSOR,
    ),
)
ELEMENT_KEYS = KeyScope(
    QT_TRANSLATE_NOOP("Keys", "In a grid of input elements"),
    (
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
)
FIND_KEYS = KeyScope(
    QT_TRANSLATE_NOOP("Keys", "In the search field"),
    (
        LocalKey("next", ("Enter", "Down"), QT_TRANSLATE_NOOP("Keys", "Next match")),
        LocalKey("previous", ("Shift+Enter", "Up"), QT_TRANSLATE_NOOP("Keys", "Previous match")),
        LocalKey("step", ("Ctrl+Enter",), QT_TRANSLATE_NOOP("Keys", "Go to the step of the match")),
        LocalKey("leave", ("Esc",), QT_TRANSLATE_NOOP("Keys", "Close the search")),
    ),
)
PALETTE_KEYS = KeyScope(
    QT_TRANSLATE_NOOP("Keys", "In the command palette"),
    (
        LocalKey("next", ("Down",), QT_TRANSLATE_NOOP("Keys", "Next command")),
        LocalKey("previous", ("Up",), QT_TRANSLATE_NOOP("Keys", "Previous command")),
        LocalKey("run", ("Enter",), QT_TRANSLATE_NOOP("Keys", "Run the command")),
        LocalKey("leave", ("Esc",), QT_TRANSLATE_NOOP("Keys", "Close the command palette")),
    ),
)


def with_mac_alternatives(keys: Sequence[Key], platform: str) -> list[Key]:
    """Add the Mac alternatives to a command's keys if the platform is a Mac.

    Args:
        keys: The keys on other platforms.
        platform: A platform name as in `sys.platform`.
    """
    if platform != "darwin":
        return [*keys]
    alternatives = [
        MAC_ALTERNATIVES[key] for key in keys if isinstance(key, str) and key in MAC_ALTERNATIVES
    ]
    return [*keys, *alternatives]


def pressed(scope: KeyScope, event: QKeyEvent) -> str:
    """Return the command of a key press in a widget; empty if the key does nothing there."""
    return _commands(scope).get(_portable(event), "")


def keys_of(scope: KeyScope, command: str) -> tuple[str, ...]:
    """Return the keys of a widget's command in the platform's own notation."""
    native = QKeySequence.SequenceFormat.NativeText
    found = next(each for each in scope.keys if each.command == command)
    return tuple(QKeySequence(key).toString(native) for key in found.keys)


def text_of(key: LocalKey) -> str:
    """Return the translated description of a local key."""
    return translate("Keys", key.text)


def title_of(scope: KeyScope) -> str:
    """Return the translated heading of a widget's keys."""
    return translate("Keys", scope.title)


@cache
def _commands(scope: KeyScope) -> dict[str, str]:
    return {key: each.command for each in scope.keys for key in each.keys}


def _portable(event: QKeyEvent) -> str:
    key = Qt.Key(event.key())
    if key == Qt.Key.Key_Return:
        key = Qt.Key.Key_Enter
    modifiers = event.modifiers() & ~Qt.KeyboardModifier.KeypadModifier
    if Qt.Key.Key_Space < key <= Qt.Key.Key_AsciiTilde and not chr(key).isalpha():
        # Which signs, such as +, need Shift depends on the keyboard; the key is the sign already.
        modifiers &= ~Qt.KeyboardModifier.ShiftModifier
    sequence = QKeySequence(QKeyCombination(modifiers, key))
    return sequence.toString(QKeySequence.SequenceFormat.PortableText)
