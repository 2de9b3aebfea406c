"""The local variables of the running function, below its call stack, and their rows."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from PySide6.QtCore import Signal
from PySide6.QtGui import QKeyEvent, QPalette, QShowEvent
from PySide6.QtWidgets import QPushButton, QToolButton, QVBoxLayout, QWidget

from gradviz.analysis.index.trace_index import TraceIndex
from gradviz.analysis.position.executed_lines import ExecutionLimit, Local
from gradviz.document.document import Document, Field, Row, document_of
from gradviz.drawing.appearance.color_map import value_limits
from gradviz.model.item import Item
from gradviz.model.tensor import TensorRecord, is_integral
from gradviz.text.phrases import record_shape_text
from gradviz.text.sentences.values import is_array
from gradviz.viewer.local_keys import pressed
from gradviz.viewer.rows.rows_view import ColumnWidth, RowsView
from gradviz.viewer.source import KEYS
from gradviz.viewer.source.value_text import ReadElements, item_text
from gradviz.viewer.tensor_view.tensor_text import spoken
from gradviz.viewer.theme.theme import SMALL_PIXELS, Theme, set_style_sheet
from gradviz.viewer.theme.theme_update import set_theme_font
from gradviz.viewer.translation import translate
from gradviz.viewer.widgets.elided_label import ElidedLabel
from gradviz.viewer.widgets.flow_layout import FlowLayout
from gradviz.viewer.widgets.layouts import lay_out
from gradviz.viewer.widgets.plain_text import PlainLabel, show_text
from gradviz.viewer.widgets.segment_switch import segment_style


@dataclass(frozen=True, slots=True)
class LocalRows:
    """The rows of variables.

    Attributes:
        index: The trace.
        variables: The variables.
        elements: Returns the stored elements of a tensor.
    """

    index: TraceIndex
    variables: Sequence[Local]
    elements: ReadElements

    def document(self) -> Document:
        """Return a row for each variable; its key is its number."""
        numbers = (each.item.tensor for each in self.variables)
        values = (self.elements(each) for each in numbers if each is not None)
        limits = value_limits(values)
        titles = (translate("Source", "Name"), translate("Source", "Value"))
        return document_of(titles, [self._row(each, limits) for each in self.variables])

    def _row(self, local: Local, limits: dict[bool, float]) -> Row:
        item, record = local.item, self._record(local)
        text = item_text(self.index, item, self.elements)
        if record is not None:
            text = f"{text} · {record.dtype}"
        tip = spoken(item.name, record) if record is not None else ""
        tip = tip or translate("Source", "{name}: {value}").format(name=item.name, value=text)
        is_untracked = is_array(item)
        if is_untracked:
            tip = translate("Source", "{text} (NumPy: not tracked by autograd)").format(text=tip)
        if local.fresh:
            tip = translate("Source", "{text}; set by this line").format(text=tip)
        value = None if record is None else self.elements(record.id)
        if record is not None and not (value is not None and record.shape and record.count):
            value = None
        if record is not None and value is not None:
            text = _kind_text(record)
        if is_untracked:
            untracked = translate("Source", "NumPy: not tracked by autograd")
            text = f"{text} · {untracked}"
        name = Field(text=item.name, tip=tip, strong=local.fresh, icon="sign-now" * local.fresh)
        shown = Field(
            text=text,
            tip=tip,
            tone="warning" if is_untracked else "plain" if record is None else "muted",
            tensor=value,
            limit=0.0 if record is None else limits[is_integral(record.dtype)],
        )
        return Row(fields=(name, shown), spoken=tip)

    def _record(self, local: Local) -> TensorRecord | None:
        """The record of a tensor; None if the value is not one."""
        tensor = local.item.tensor
        return None if tensor is None else self.index.tensor.get(tensor)


def _kind_text(record: TensorRecord) -> str:
    """A tensor's shape, dtype and non-CPU device, beside its picture."""
    kind = f"{record_shape_text(record)} {record.dtype}"
    return kind if record.device == "cpu" else f"{kind} · {record.device}"


MOST_SHOWN = 5
"""Maximum number of calls shown; of a deeper stack, the innermost ones."""


class CallStackBar(QWidget):
    """One button per call; hidden if there is only one call.

    Signals:
        frame_chosen: Position of the clicked call in the stack.
    """

    frame_chosen = Signal(object)

    def __init__(self, theme: Theme) -> None:
        super().__init__()
        self._theme = theme
        self._buttons: list[QToolButton] = []
        self._offset = 0
        self._row = FlowLayout(self)
        self.setAccessibleName(self.tr("Call Stack"))
        self.hide()
        self.update_theme()

    @property
    def texts(self) -> tuple[str, ...]:
        """The labels of the visible buttons, outermost call first."""
        return tuple(button.text() for button in self._buttons if not button.isHidden())

    @property
    def buttons(self) -> tuple[QToolButton, ...]:
        """The visible buttons, outermost call first."""
        return tuple(button for button in self._buttons if not button.isHidden())

    def show_frames(self, names: Sequence[str]) -> None:
        """Show the calls by their function names, outermost first."""
        self._offset = max(0, len(names) - MOST_SHOWN)
        shown = names[self._offset :]
        while len(self._buttons) < len(shown):
            self._add()
        for at, button in enumerate(self._buttons):
            button.setVisible(at < len(shown))
            if at < len(shown):
                # A tool button would read & as a mnemonic.
                button.setText(shown[at].replace("&", "&&"))
                button.setChecked(at == len(shown) - 1)
        self.setVisible(len(names) > 1)

    def update_theme(self) -> None:
        """Repaint with another theme."""
        set_style_sheet(self, segment_style(self._theme))

    def _add(self) -> None:
        button = QToolButton(self)
        button.setCheckable(True)
        set_theme_font(button, self._theme, SMALL_PIXELS)
        button.setToolTip(self.tr("Go to the line that is running in this call"))
        button.clicked.connect(self._on_button_clicked)
        self._buttons.append(button)
        self._row.addWidget(button)

    def _on_button_clicked(self) -> None:
        button = self.sender()
        if isinstance(button, QToolButton):
            # The innermost call stays checked whichever button is clicked.
            button.setChecked(button is self.buttons[-1])
            self.frame_chosen.emit(self._offset + self._buttons.index(button))


LEAST_WIDTH = 150
_WIDTHS = (ColumnWidth(60, most=160), ColumnWidth(90, grows=1))


class LocalsView(RowsView):
    """Leaves the keys that step to the panel."""

    def keyPressEvent(self, event: QKeyEvent) -> None:
        """Ignore the keys with which the source steps."""
        if pressed(KEYS, event) in ("next", "previous", "first", "last"):
            event.ignore()
        else:
            super().keyPressEvent(event)


class LocalsPanel(QWidget):
    """Shows the local variables, or the reason why there are none.

    Attributes:
        frames: The call stack.
        again: Runs again with lines recorded.

    Signals:
        item_chosen: The `Item` of a tensor variable to show enlarged.
        became_visible: The panel was shown, or came to the front.
    """

    item_chosen = Signal(object)
    became_visible = Signal()

    def __init__(self, theme: Theme, elements: ReadElements) -> None:
        super().__init__()
        self._elements = elements
        self._is_raised = False
        self._items: tuple[Item, ...] = ()
        self.title = ElidedLabel(pixels=SMALL_PIXELS, bold=True)
        self.frames = CallStackBar(theme)
        self.view = LocalsView(theme, _WIDTHS)
        self.view.setHeaderHidden(True)
        self.view.setAccessibleName(self.tr("Local variables"))
        self.reason = PlainLabel(muted=True)
        self.again = QPushButton(self.tr("Record Lines"))
        self.again.setToolTip(self.tr("Run again and record each line"))
        self.again.setAutoDefault(False)
        self.again.hide()
        self.view.chosen.connect(self._on_view_chosen)
        self._column = lay_out(
            QVBoxLayout(self),
            self.title,
            self.frames,
            self.reason,
            self.again,
            (self.view, 1),
            0,
            margins=None,
            gap=2,
        )
        self.setAutoFillBackground(True)
        self.setBackgroundRole(QPalette.ColorRole.Base)
        self.setMinimumWidth(LEAST_WIDTH)
        self._theme = theme
        set_theme_font(self.again, theme, SMALL_PIXELS)
        self.update_theme()

    def show_reach(self, index: TraceIndex, reach: ExecutionLimit) -> None:
        """Show the call stack and the variables of the current call."""
        functions = [reach.ran.part.frames[each].function for each in reach.stack()]
        names = [each.function.rpartition(".")[2] or each.path for each in functions]
        self.title.setText(self.tr("Locals of {function}").format(function=names[-1]))
        self.frames.show_frames(names)
        frame = reach.frame
        rows = () if frame is None else reach.locals(frame)
        self._items = tuple([row.item for row in rows])
        self.view.show_document(LocalRows(index, rows, self._elements).document())
        self._say("" if rows else self.tr("No local variables are set."))

    @property
    def is_in_front(self) -> bool:
        """Whether any part of the panel is visible."""
        # Qt calls a tab behind others visible, but no part of it is.
        return self.isVisible() and (self._is_raised or not self.visibleRegion().isEmpty())

    def on_dock_visibility_changed(self, visible: bool) -> None:
        """Announce that the panel has come to the front of its tabs."""
        # Its region becomes visible only with the next layout.
        self._is_raised = visible
        if visible:
            self.became_visible.emit()

    def show_reason(self, reason: str, *, again: bool = False) -> None:
        """Say why there are no variables.

        Args:
            reason: A sentence.
            again: Whether to offer a new recording that would include them.
        """
        self.title.setText(self.tr("Locals"))
        self.frames.show_frames(())
        self._items = ()
        self.view.show_document(Document())
        self._say(reason)
        self.again.setVisible(again)

    def update_theme(self) -> None:
        """Repaint with another theme."""
        side = self._theme.px(8)
        self._column.setContentsMargins(side, self._theme.px(1), 0, 0)

    def _say(self, reason: str) -> None:
        show_text(self.reason, reason)
        self.view.setVisible(not reason)
        self.again.hide()

    def _on_view_chosen(self, row: int) -> None:
        if self._items[row].tensor is not None:
            self.item_chosen.emit(self._items[row])

    def showEvent(self, event: QShowEvent) -> None:
        """Announce that what changed meanwhile can be shown."""
        super().showEvent(event)
        self.became_visible.emit()
