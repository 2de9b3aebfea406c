"""What can be done with a tensor: enlarge, pin, trace back, copy in several formats, save."""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from pathlib import Path

from PySide6.QtCore import QObject, QPoint, Signal
from PySide6.QtGui import QAction, QGuiApplication, QKeySequence
from PySide6.QtWidgets import QMenu, QToolTip, QWidget

from gradviz.drawing.cells.plane import Plane, subscript
from gradviz.viewer.files.save_dialog import ask_save_path
from gradviz.viewer.state import ViewerState
from gradviz.viewer.tensor_refs import ElementRef, OriginQuery, TensorRef
from gradviz.viewer.tensor_view.shown_tensor import ShownTensor
from gradviz.viewer.tensor_view.tensor_text import spoken
from gradviz.viewer.translation import translate
from gradviz.viewer.view_requests import ViewRequests
from gradviz.viewer.widgets.plain_text import plain_tooltip
from gradviz.viewer.widgets.screen_reader import announce

# The export formats are imported on first use, so that the window starts faster.


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Copyable:
    """What a view offers to copy.

    Attributes:
        display: The tensor.
        plane: Its visible plane; None if no elements were kept.
        cell: The cell of the cursor or of the pinned element; None without either.
    """

    display: ShownTensor
    plane: Plane | None
    cell: tuple[int, int] | None


def why_not(what: Copyable, *, as_text: bool) -> str:
    """Say in a sentence why the whole tensor cannot be exported; empty if it can."""
    from gradviz.export.errors import ExportError
    from gradviz.export.tensor.whole_tensor import few_enough, whole_array

    try:
        array = whole_array(what.display.record, what.display.value)
        if as_text:
            few_enough(array)
    except ExportError as error:
        return str(error)
    return ""


def as_python(what: Copyable) -> str:
    """The whole tensor as ``torch.tensor(...)``."""
    from gradviz.export.tensor.python_source import python_source

    return python_source(what.display.record, what.display.value)


def as_csv(what: Copyable) -> str:
    """The visible plane as CSV with all digits."""
    from gradviz.export.tensor.csv import csv_text

    return csv_text(what.plane.values) if what.plane is not None else ""


def as_latex(what: Copyable) -> str:
    """The visible plane as LaTeX with few digits."""
    from gradviz.export.tensor.latex import latex_text

    if what.plane is None:
        return ""
    record, values = what.display.record, what.plane.values
    return latex_text(values[0] if len(record.shape) == 1 else values, record.dtype)


def as_element(what: Copyable) -> str:
    """The element at the cursor as Python; empty without one."""
    from gradviz.export.tensor.python_source import python_element

    if what.plane is None or what.cell is None:
        return ""
    return python_element(what.plane.elements[what.cell])


def as_summary(what: Copyable) -> str:
    """Name and summary of the tensor in one line."""
    return spoken(what.display.name, what.display.record, what.display.mark)


def copy(what: Copyable, write: Callable[[Copyable], str], owner: QWidget) -> None:
    """Copy the text that ``write`` returns, and tell it beside a widget and to screen readers."""
    from gradviz.export.errors import ExportError

    try:
        QGuiApplication.clipboard().setText(write(what))
    except ExportError as error:
        sentence = str(error)
    else:
        name = " ".join(what.display.name.split())
        sentence = translate("TensorCopies", "Copied {name}.").format(name=name)
    place = owner.mapToGlobal(QPoint(owner.width() // 2, 0))
    QToolTip.showText(place, plain_tooltip(sentence), owner)
    announce(owner, sentence)


def save(what: Copyable, path: Path) -> str:
    """Write the tensor as ``.npy``; return a sentence that says what was written.

    Raises:
        ExportError: If not all elements were kept.
        OSError: If the file cannot be written.
    """
    from gradviz.export.tensor.npy import write_npy

    record = what.display.record
    dtype = write_npy(path, record, what.display.value)
    text = translate("TensorCopies", "Saved {name} to {path}.")
    if dtype != record.dtype:
        text = translate(
            "TensorCopies", "Saved {name} to {path} as {dtype}, because NumPy has no {own}."
        )
    name = " ".join(what.display.name.split())
    return text.format(name=name, path=path, dtype=dtype, own=record.dtype)


_PLANE = 2
_MOST_NAME = 40


class TensorCommands(QObject):
    """Does what the user requests for the tensors of the window's run.

    Signals:
        message_emitted: A sentence on what was saved, and its kind: ``info`` or ``error``.
    """

    message_emitted = Signal(str, str)

    def __init__(
        self, state: ViewerState, requests: ViewRequests, parent: QObject | None = None
    ) -> None:
        super().__init__(parent)
        self._state = state
        self._requests = requests

    def _ref(self, display: ShownTensor) -> TensorRef:
        return TensorRef(tensor=display.record.id, name=display.name, step=self._state.number)

    def enlarge(self, display: ShownTensor) -> None:
        """Show the tensor in the large view."""
        self._requests.show_tensor(self._ref(display))

    def change(self, display: ShownTensor) -> None:
        """Request What If for the tensor."""
        self._requests.change_tensor(self._ref(display))

    def show_history(self, display: ShownTensor) -> None:
        """Show the history of the tensor's memory."""
        self._requests.show_history(self._ref(display))

    def find_origin(self, display: ShownTensor, index: tuple[int, ...] | None) -> None:
        """Find the origin of the tensor's non-finite values, or of one element."""
        seen = self._ref(display)
        query = OriginQuery(tensor=seen.tensor, name=seen.name, step=seen.step, index=index)
        self._requests.find_origin(query)

    def pin(self, display: ShownTensor, index: tuple[int, ...] | None) -> None:
        """Pin an element, or unpin it if it is pinned; None unpins any."""
        element = None if index is None else ElementRef(tensor=display.record.id, index=index)
        self._state.pin(None if element == self._state.element else element)

    def open_menu(
        self, what: Copyable | None, owner: QWidget, place: QPoint, *, large: bool = False
    ) -> None:
        """Open the menu of a tensor at a global position."""
        if what is not None:
            menu = TensorMenu(what, owner, self, large=large)
            # Deleted later, because a menu hides before it triggers the chosen entry.
            menu.aboutToHide.connect(menu.deleteLater)
            menu.popup(place)


class TensorMenu(QMenu):
    """Context menu, created each time it opens."""

    def __init__(
        self, what: Copyable, owner: QWidget, commands: TensorCommands, *, large: bool = False
    ) -> None:
        super().__init__(owner)
        self._what = what
        self._owner = owner
        self._commands = commands
        self.setAccessibleName(self.tr("Menu of {name}").format(name=what.display.name))
        if not large:
            enlarge = partial(commands.enlarge, what.display)
            self._add(self.tr("En&large"), enlarge, key="Return")
        self._add(self.tr("&What If…"), partial(commands.change, what.display))
        self._add_history()
        self.addSeparator()
        self._add_reason(why_not(what, as_text=True))
        self._add_copies()
        self.addSeparator()
        self._add_save()

    def _add_reason(self, reason: str) -> None:
        """Add a disabled entry that says why others are disabled."""
        if reason:
            self.addAction(_escaped(reason)).setEnabled(False)

    def _add_history(self) -> None:
        """Add Find Origin for the element under the cursor or the whole tensor, and History."""
        what = self._what
        text, index = self.tr("Find Ori&gin of Its NaN or Inf"), None
        if what.plane is not None and what.cell is not None:
            index = what.plane.index(*what.cell)
            element = _short(subscript(what.display.name, index))
            text = self.tr("Find Ori&gin of {element}").format(element=element)
        self._add(text, partial(self._commands.find_origin, what.display, index))
        history = partial(self._commands.show_history, what.display)
        self._add(self.tr("&History of This Tensor"), history)

    def _add_copies(self) -> None:
        what, whole = self._what, not why_not(self._what, as_text=True)
        several = len(what.display.record.shape) > _PLANE
        csv = self.tr("Copy This Plane as &CSV") if several else self.tr("Copy as &CSV")
        latex = self.tr("Copy This Plane as La&TeX") if several else self.tr("Copy as La&TeX")
        self._add_copy(self.tr("Copy as &torch.tensor(…)"), as_python, enabled=whole, key="Copy")
        cells = whole and what.display.has_cells
        self._add_copy(csv, as_csv, enabled=cells)
        self._add_copy(latex, as_latex, enabled=cells)
        if what.plane is not None and what.cell is not None:
            element = subscript(what.display.name, what.plane.index(*what.cell))
            text = self.tr("Copy &Element {element}").format(element=_short(element))
            self._add_copy(text, as_element)
        self._add_copy(self.tr("Copy S&ummary"), as_summary)

    def _add_save(self) -> None:
        from gradviz.export.tensor.npy import npy_dtype

        record = self._what.display.record
        text = self.tr("&Save as .npy…")
        if npy_dtype(record) != record.dtype:
            text = self.tr("&Save as .npy (as {dtype})…").format(dtype=npy_dtype(record))
        action = self._add(text, self._ask_and_save)
        action.setEnabled(not why_not(self._what, as_text=False))

    def _add_copy(
        self,
        text: str,
        write: Callable[[Copyable], str],
        *,
        enabled: bool = True,
        key: str = "",
    ) -> None:
        action = self._add(text, partial(copy, self._what, write, self._owner), key=key)
        action.setEnabled(enabled)

    def _add(self, text: str, run: Callable[[], object], *, key: str = "") -> QAction:
        action = self.addAction(text)
        if key:
            # Only displayed: the view itself handles these keys.
            named = QKeySequence.StandardKey.Copy if key == "Copy" else key
            action.setShortcut(QKeySequence(named))
            action.setShortcutVisibleInContextMenu(True)
        # `triggered` would also pass its checked state, which ``run`` does not accept.
        action.triggered.connect(lambda: run())
        return action

    def _ask_and_save(self) -> None:
        from gradviz.export.errors import ExportError

        # Names such as ``a[0]`` or ``x/2`` are not valid as file names on every system.
        name = re.sub(r"[^\w.-]+", "-", self._what.display.name).strip("-.") or "tensor"
        title, kinds = self.tr("Save Tensor"), self.tr("NumPy array (*.npy)")
        say = self._commands.message_emitted.emit
        path = ask_save_path(self._owner, title, name[:60], kinds, lambda text: say(text, "error"))
        if path is None:
            return
        try:
            say(save(self._what, path), "info")
        except (ExportError, OSError) as error:
            say(str(error), "error")


def _short(name: str) -> str:
    line = _escaped(" ".join(name.split()))
    return line if len(line) <= _MOST_NAME else f"{line[:_MOST_NAME]}…"


def _escaped(text: str) -> str:
    """Escape ampersands, so that they become no mnemonics."""
    return text.replace("&", "&&")
