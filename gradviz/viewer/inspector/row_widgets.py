"""The widgets of a section's rows, reused from step to step."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable
from dataclasses import dataclass

from PySide6.QtCore import QObject, QSize, Signal, Slot
from PySide6.QtGui import QPalette
from PySide6.QtWidgets import QLabel, QPushButton, QWidget

from gradviz.catalogue.language import format_count
from gradviz.document.facts.fact_rows import (
    ChangeRow,
    FactRow,
    HiddenRow,
    MoreRow,
    PlacesRow,
    ScaleRow,
    StepsRow,
    TextRow,
    ValueRow,
)
from gradviz.document.tag import Tag
from gradviz.drawing.appearance.color_map import shared_scale_limit
from gradviz.viewer.inspector.row_filling import RowSource, fill_view
from gradviz.viewer.inspector.scale_control import ScaleControl
from gradviz.viewer.inspector.step_links import StepLinks
from gradviz.viewer.inspector.tensor_controller import TensorController
from gradviz.viewer.tensor_view.hidden_tensor import HiddenTensor
from gradviz.viewer.tensor_view.small.tensor_view import TensorView
from gradviz.viewer.theme.icons import icon
from gradviz.viewer.theme.theme import SMALL_PIXELS, Theme
from gradviz.viewer.theme.theme_update import set_theme_font
from gradviz.viewer.widgets.column_layout import ColumnLayoutWidget, flow, stack
from gradviz.viewer.widgets.pill import Pill
from gradviz.viewer.widgets.plain_text import PlainBlock, PlainLabel


class MoreButton(ColumnLayoutWidget):
    """A button that shows more rows of a section.

    Signals:
        more_requested: Key of the section.
    """

    more_requested = Signal(str)

    def __init__(self, theme: Theme, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._key = ""
        self._button = QPushButton(self)
        self._button.setIconSize(QSize(0, 0))
        self._button.clicked.connect(self._on_button_clicked)
        self._button.show()
        set_theme_font(self._button, theme, SMALL_PIXELS)
        self.update_theme()

    @property
    def button(self) -> QPushButton:
        """The button itself."""
        return self._button

    def show_row(self, row: MoreRow) -> None:
        """Show the number of rows that another section hides."""
        self._key = row.key
        text = self.tr("{count} more").format(count=format_count(row.count))
        self._button.setText(text)
        self._button.setAccessibleName(text)
        self._button.setToolTip(self.tr("Show more (Space)"))
        self.refresh()

    def place(self, width: int, *, move: bool) -> int:
        """Lay out the button; return the height."""
        return flow((self._button,), width, 0, move=move)

    @Slot()
    def _on_button_clicked(self) -> None:
        self.more_requested.emit(self._key)


_ARROW = 16
_GAP = 6


class ChangeView(ColumnLayoutWidget):
    """Two tensor views in a column with the change between them; the owner fills the views."""

    def __init__(
        self, before: TensorView, after: TensorView, theme: Theme, parent: QWidget | None = None
    ) -> None:
        super().__init__(parent)
        self._before, self._after = before, after
        self._arrow = QLabel(self)
        self._change = Pill(Tag(""), theme, parent=self)
        for part in (before, after):
            part.setParent(self)
            part.height_changed.connect(self.refresh)
        for child in (before, self._arrow, self._change, after):
            child.show()
        self._theme = theme
        self.update_theme()

    @property
    def views(self) -> tuple[TensorView, TensorView]:
        """The views of the value before and after the change."""
        return self._before, self._after

    @property
    def change(self) -> str:
        """The change in words."""
        return self._change.text()

    def show_change(self, row: ChangeRow) -> None:
        """Label another change; the owner fills the views."""
        self._change.show_tag(Tag(row.change, row.tone))
        self.setAccessibleName(row.change)
        self.refresh()

    def update_theme(self) -> None:
        """Repaint with another theme."""
        side = self._theme.px(_ARROW)
        self._arrow.setPixmap(icon("down", self._theme, "warning").pixmap(side, side))
        self.refresh()

    def place(self, width: int, *, move: bool) -> int:
        """Lay out the views and the change in a column; return the height."""
        y = stack((self._before,), width, 0, move=move)
        y = flow((self._arrow, self._change), width, _GAP, move=move, top=y + _GAP)
        return stack((self._after,), width, 0, move=move, top=y + _GAP)


RowWidget = (
    TensorView
    | ChangeView
    | StepLinks
    | ScaleControl
    | MoreButton
    | HiddenTensor
    | PlainBlock
    | PlainLabel
)


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class SharedScale:
    """The color scale of the tensors of a step.

    Attributes:
        limit: End of the scale.
        same: Whether the tensors share it.
    """

    limit: float
    same: bool

    @property
    def shared_limit(self) -> float | None:
        """End of the scale; None if each tensor has its own."""
        return self.limit if self.same else None


_WITH_BUTTONS = 8
"""Number of prepared views that also get the buttons, which only tensors need."""


class RowPool(QObject):
    """A pool of row widgets that reuses widgets of the right kind.

    Creating widgets at each step would take longer than a frame.

    Signals:
        height_changed: The preferred height of a widget has changed.
        more_requested: Key of a section that is to show more rows.
    """

    height_changed = Signal()
    more_requested = Signal(str)

    def __init__(self, tensors: TensorController, parent: QObject | None = None) -> None:
        """Set the controller that new tensor views are connected to."""
        super().__init__(parent)
        self._tensors = tensors
        self._spare: dict[type[QWidget], list[RowWidget]] = defaultdict(list)

    def show(
        self,
        rows: Iterable[FactRow],
        at_hand: list[RowWidget],
        section: QWidget,
        source: RowSource,
        scale: SharedScale,
    ) -> list[RowWidget]:
        """Return the widgets of the rows, in order.

        Args:
            rows: The rows to show.
            at_hand: Current widgets of the section; those that are not reused go back to the pool.
            section: The section; its former widgets are preferred, as Qt takes long to move a
                widget into another parent.
            source: The data of the rows.
            scale: The color scale of the step.
        """
        left = list(at_hand)
        shown: list[RowWidget] = []
        for row in rows:
            widget = self._take(row, left, section, source.theme)
            self._fill(widget, row, source, scale)
            shown.append(widget)
        for widget in left:
            widget.hide()
            self._spare[type(widget)].append(widget)
        return shown

    def prepare(self, section: QWidget, theme: Theme, count: int) -> None:
        """Create hidden tensor views, which the section will use."""
        for at in range(count):
            view = self._view(section, theme)
            if at < _WITH_BUTTONS:
                view.buttons.prepare()
            view.hide()
            view.height_changed.connect(self.height_changed)
            self._spare[TensorView].append(view)

    def _take(
        self, row: FactRow, left: list[RowWidget], section: QWidget, theme: Theme
    ) -> RowWidget:
        kind = _kind_of(row)
        spare = self._spare[kind]
        former = (widget for widget in spare if widget.parentWidget() is section)
        found = next((widget for widget in left if type(widget) is kind), None)
        if found is not None:
            left.remove(found)
            return found
        found = next(former, spare[0] if spare else None)
        if found is not None:
            spare.remove(found)
            return found
        widget = self._make(row, section, theme)
        if isinstance(widget, ColumnLayoutWidget):
            widget.height_changed.connect(self.height_changed)
        return widget

    def _make(self, row: FactRow, section: QWidget, theme: Theme) -> RowWidget:
        # With its parent from the beginning: Qt polishes a widget again for each new one.
        match row:
            case ValueRow():
                return self._view(section, theme)
            case ChangeRow():
                before, after = (self._view(section, theme) for _ in range(2))
                return ChangeView(before, after, theme, section)
            case StepsRow() | PlacesRow():
                links = StepLinks(theme, section)
                self._tensors.connect_links(links)
                return links
            case ScaleRow():
                control = ScaleControl(theme, section)
                self._tensors.connect_scale_control(control)
                return control
            case MoreRow():
                more = MoreButton(theme, section)
                more.more_requested.connect(self.more_requested)
                return more
            case HiddenRow():
                return HiddenTensor(theme, section)
            case TextRow(block=True):
                return PlainBlock(parent=section)
            case TextRow():
                return PlainLabel(parent=section)

    def _view(self, section: QWidget, theme: Theme) -> TensorView:
        view = TensorView(theme, section)
        self._tensors.adopt(view)
        return view

    def _fill(self, widget: QWidget, row: FactRow, source: RowSource, scale: SharedScale) -> None:
        match row, widget:
            case ValueRow(), TensorView():
                fill_view(widget, row, source, scale.shared_limit)
            case ChangeRow(), ChangeView():
                fill_view(widget.views[0], row.before, source, scale.shared_limit)
                fill_view(widget.views[1], row.after, source, scale.shared_limit)
                widget.show_change(row)
            case StepsRow() | PlacesRow(), StepLinks():
                widget.show_row(row)
            case ScaleRow(), ScaleControl():
                widget.show_row(row, scale.limit, same=scale.same)
            case MoreRow(), MoreButton():
                widget.show_row(row)
            case HiddenRow(), HiddenTensor():
                widget.show_name(row.name)
            case TextRow(), PlainBlock():
                widget.show_text(row.text)
            case TextRow(), PlainLabel():
                muted = row.tone == "plain"
                colors = QPalette.ColorRole
                role = colors.PlaceholderText if muted else colors.WindowText
                # Qt lays a label out again for each new role, even if it is the same.
                if role != widget.foregroundRole():
                    widget.setForegroundRole(role)
                widget.setText(row.text)


def _kind_of(row: FactRow) -> type[QWidget]:
    """The class of the widget that shows a row."""
    match row:
        case ValueRow():
            return TensorView
        case ChangeRow():
            return ChangeView
        case StepsRow() | PlacesRow():
            return StepLinks
        case ScaleRow():
            return ScaleControl
        case TextRow(block=True):
            return PlainBlock
        case TextRow():
            return PlainLabel
        case MoreRow():
            return MoreButton
        case HiddenRow():
            return HiddenTensor


def shared_limit(rows: Iterable[FactRow], source: RowSource) -> float:
    """End of a color scale for all tensors of some rows; 0 if there is none."""
    pairs = ((row.before, row.after) if isinstance(row, ChangeRow) else (row,) for row in rows)
    shown = (row for pair in pairs for row in pair if isinstance(row, ValueRow))
    found = [source.extremes(row.item.tensor) for row in shown if row.item.tensor is not None]
    return shared_scale_limit([each for each in found if each is not None])
