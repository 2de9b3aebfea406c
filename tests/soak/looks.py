"""What a user does with the window besides running and stepping, through its commands."""

from __future__ import annotations

import random
from collections.abc import Callable

from PySide6.QtWidgets import QApplication, QDialog

from gradviz.lesson.shipped import LESSONS, shipped_path
from gradviz.viewer.find.controller import FindController
from gradviz.viewer.session.run_controller import RunController
from gradviz.viewer.tensor_refs import ElementRef, TensorRef
from gradviz.viewer.window.top_bar import TABS
from gradviz.viewer.window_controller import WindowController

_CANVAS = (
    "zoom_in",
    "zoom_out",
    "fit",
    "full_size",
    "centre",
    "legend",
    "animate",
    "open_group",
    "close_group",
    "fold_all",
)
_NODE = ("go_made", "go_executed", "go_sender", "copy_name", "copy_link", "describe")
_SEARCHES = ("grad", "op:mm", "Linear", "nan", "x", "no such thing")


def _switch_theme(place: WindowController, rng: random.Random) -> None:
    rng.choice(place.window.commands.themes.actions()).trigger()


def _show_tabs(place: WindowController, rng: random.Random) -> None:
    for name in rng.sample(TABS, len(TABS)):
        place.window.top.show_tab(name)
        QApplication.processEvents()


def _show_panels(place: WindowController, rng: random.Random) -> None:
    for dock in rng.sample(place.window.docks.all(), 5):
        dock.toggleViewAction().trigger()
        QApplication.processEvents()
        place.window.docks.bring_to_front(dock.objectName())
        QApplication.processEvents()
    place.window.commands.restore.trigger()


def _present(place: WindowController, rng: random.Random) -> None:
    commands = place.window.commands
    commands.present.trigger()
    for name in ("quiz_mode", "next", "next", "hide_answers", "pen", "spotlight", "next", "black"):
        getattr(commands, name).trigger()
        QApplication.processEvents()
    commands.quiz_mode.setChecked(False)
    commands.present.trigger()


def _play_lesson(place: WindowController, rng: random.Random) -> None:
    commands = place.window.commands
    name = rng.choice(LESSONS)
    place.window.parts[RunController].open_path(shipped_path(name))
    for _ in range(4):
        QApplication.processEvents()
        commands.next_stop.trigger()
    commands.speaker_view.trigger()
    QApplication.processEvents()
    commands.leave_lesson.trigger()
    if commands.present.isChecked():
        commands.present.trigger()


def _use_canvas(place: WindowController, rng: random.Random) -> None:
    for name in rng.sample(_CANVAS, len(_CANVAS)):
        getattr(place.window.commands, name).trigger()
        QApplication.processEvents()


def _visit_nodes(place: WindowController, rng: random.Random) -> None:
    index = place.state.index
    if index is None or not index.node:
        return
    for node in rng.choices(list(index.node), k=3):
        place.requests.show_node(node)
        getattr(place.window.commands, rng.choice(_NODE)).trigger()
        QApplication.processEvents()


def _inspect_tensors(place: WindowController, rng: random.Random) -> None:
    index = place.state.index
    if index is None or not index.trace.tensors:
        return
    for record in rng.choices(index.trace.tensors, k=3):
        ref = TensorRef(tensor=record.id, name="x", step=place.state.number)
        place.requests.show_tensor(ref)
        QApplication.processEvents()
        place.requests.show_history(ref)
        if 0 not in record.shape:
            place.state.pin(ElementRef(tensor=record.id, index=tuple(0 for _ in record.shape)))
        QApplication.processEvents()
    place.requests.find_origin(None)
    place.state.pin(None)


def _find(place: WindowController, rng: random.Random) -> None:
    commands, find = place.window.commands, place.window.parts[FindController]
    commands.find.trigger()
    find.field.setText(rng.choice(_SEARCHES))
    QApplication.processEvents()
    for name in ("find_next", "find_next", "find_previous"):
        getattr(commands, name).trigger()
        QApplication.processEvents()
    find.field.clear()


def _open_dialogs(place: WindowController, rng: random.Random) -> None:
    commands = place.window.commands
    for name in ("settings", "about", "show_commands", "show_keys"):
        getattr(commands, name).trigger()
        QApplication.processEvents()
        close_dialogs()
        QApplication.processEvents()


def _scale_text(place: WindowController, rng: random.Random) -> None:
    commands = place.window.commands
    for name in ("larger", "larger", "smaller", "smaller"):
        getattr(commands, name).trigger()
        QApplication.processEvents()


def _read_guide(place: WindowController, rng: random.Random) -> None:
    place.window.commands.show_guide.trigger()
    QApplication.processEvents()
    for name in ("guide", "doctor", "console", "inspector"):
        place.requests.show_part(name)
        QApplication.processEvents()


def _edit_inputs(place: WindowController, rng: random.Random) -> None:
    commands = place.window.commands
    place.window.library.picked.emit(place.session.offer) if place.session.offer else None
    for name in ("undo", "redo", "reset", "undo"):
        getattr(commands, name).trigger()
        QApplication.processEvents()


def _take_picture(place: WindowController, rng: random.Random) -> None:
    place.window.resize(rng.randint(800, 1700), rng.randint(500, 1000))
    QApplication.processEvents()
    place.window.grab()


LOOKS: dict[str, Callable[[WindowController, random.Random], None]] = {
    "theme": _switch_theme,
    "tabs": _show_tabs,
    "panels": _show_panels,
    "presenter mode": _present,
    "lesson": _play_lesson,
    "graph": _use_canvas,
    "nodes": _visit_nodes,
    "tensors": _inspect_tensors,
    "find": _find,
    "dialogs": _open_dialogs,
    "text size": _scale_text,
    "guide": _read_guide,
    "inputs": _edit_inputs,
    "picture": _take_picture,
}
"""Each is called with a window and random numbers, and leaves no dialog open."""
SLOW_LOOKS = ("presenter mode", "lesson", "text size")


def close_dialogs() -> None:
    """Close all dialogs and popups, as Esc does."""
    for widget in QApplication.topLevelWidgets():
        if isinstance(widget, QDialog) and widget.isVisible():
            widget.reject()
    popup = QApplication.activePopupWidget()
    if popup is not None:
        popup.close()
