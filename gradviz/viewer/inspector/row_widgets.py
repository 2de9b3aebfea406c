"""The widgets of a section's rows, reused from step to step."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable

from PySide6.QtCore import QLineF, QObject, QPointF, QSize, Qt, Signal
from PySide6.QtGui import QPainter, QPaintEvent, QPalette, QPen
from PySide6.QtWidgets import QCheckBox, QPushButton, QWidget

from gradviz.catalogue.language import format_count
from gradviz.document.facts.fact_rows import (
    ChangeRow,
    FactRow,
    HiddenRow,
    MoreRow,
    PlacesRow,
    ScaleRow,
    TextRow,
    ValueRow,
)
from gradviz.document.location_text import Breadcrumb
from gradviz.document.tag import DocumentLink, Tag
from gradviz.drawing.appearance.palette import PaletteRole
from gradviz.viewer.inspector.row_filling import RowSource, SharedScale, fill_view
from gradviz.viewer.inspector.tensor_controller import TensorController
from gradviz.viewer.tensor_view.hidden_tensor import HiddenTensor
from gradviz.viewer.tensor_view.small.tensor_head import TagPills
from gradviz.viewer.tensor_view.small.tensor_view import TensorView
from gradviz.viewer.theme.theme import SMALL_PIXELS, Theme
from gradviz.viewer.theme.theme_update import set_theme_font
from gradviz.viewer.widgets.column_layout import (
    GUTTER,
    ColumnLayoutWidget,
    flow,
    halves,
    stack,
)
from gradviz.viewer.widgets.plain_text import PlainBlock, PlainLabel
from gradviz.viewer.widgets.scale_bar import ScaleBar

_BAR_GAP = 3


class ScaleControl(ColumnLayoutWidget):
    """A check box, and the color scale while it is checked.

    Signals:
        toggled: Whether one shared scale is requested.
    """

    toggled = Signal(bool)

    def __init__(self, theme: Theme, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.box = QCheckBox(self.tr("same scale"), self)
        self.bar = ScaleBar(theme, self)
        self.box.clicked.connect(self.toggled)
        self.box.show()
        set_theme_font(self.box, theme, SMALL_PIXELS)
        self.update_theme()

    def show_row(self, row: ScaleRow, scale: SharedScale) -> None:
        """Show another scale, with the names of the compared values."""
        names = ", ".join(row.names)
        self.box.setChecked(scale.same)
        self.box.setToolTip(
            self.tr("Use one color scale for all of these, up to the largest value (Space)")
        )
        self.box.setAccessibleName(self.tr("Same color scale for {names}").format(names=names))
        self.bar.set_limit(scale.limit)
        self.bar.setVisible(scale.same)
        self.refresh()

    def place(self, width: int, *, move: bool) -> int:
        """Lay out the check box and the scale below it; return the height."""
        y = flow((self.box,), width, 0, move=move)
        return flow((self.bar,), width, 0, move=move, top=y + _BAR_GAP)


CARD_INSET = 8
"""Space between the frame of a card and its rows."""


class MoreButton(ColumnLayoutWidget):
    """A button that shows more rows of a section.

    Signals:
        more_requested: Key of the section.
    """

    more_requested = Signal(str)

    def __init__(self, theme: Theme, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._key = ""
        self.button = QPushButton(self)
        self.button.setIconSize(QSize(0, 0))
        self.button.clicked.connect(lambda: self.more_requested.emit(self._key))
        self.button.show()
        set_theme_font(self.button, theme, SMALL_PIXELS)
        self.update_theme()

    def show_row(self, row: MoreRow) -> None:
        """Show the number of rows that another section hides."""
        self._key = row.key
        text = self.tr("{count} more").format(count=format_count(row.count))
        self.button.setText(text)
        self.button.setAccessibleName(text)
        self.button.setToolTip(self.tr("Show more (Space)"))
        self.refresh()

    def place(self, width: int, *, move: bool) -> int:
        """Lay out the button; return the height."""
        return flow((self.button,), width, 0, move=move)


_ARROW, _HEAD = 18, 5
_GAP, _LABEL_WIDTH = 6, 200
_WORDS = 3


class ChangeView(ColumnLayoutWidget):
    """Two tensor views side by side, and between them an arrow with the change in words.

    In a narrow panel they stand below each other. What went on as it is has only one view there.
    """

    def __init__(self, theme: Theme, parent: QWidget) -> None:
        super().__init__(parent)
        self.views = TensorView(theme, self), TensorView(theme, self)
        self._theme = theme
        self._tone: PaletteRole = "warning"
        self._arrow = QLineF()
        self._is_same = False
        self._change = PlainLabel(bold=True, parent=self)
        self._change.setAlignment(Qt.AlignmentFlag.AlignHCenter)
        for part in self.views:
            part.height_changed.connect(self.refresh)
        for child in (*self.views, self._change):
            child.show()

    def show_row(self, row: ChangeRow, source: RowSource, scale: SharedScale) -> None:
        """Show another change on a color scale."""
        for view, each in zip(self.views, (row.before, row.after), strict=True):
            fill_view(view, each, source, scale)
        self._is_same = row.is_same
        self._tone = "text_muted" if row.tone == "plain" else "backward"
        colors = QPalette.ColorRole
        is_muted = row.tone == "plain"
        self._change.setForegroundRole(colors.PlaceholderText if is_muted else colors.WindowText)
        self._change.setText(row.change)
        self.setAccessibleName(row.change)
        self.refresh()

    def place(self, width: int, *, move: bool) -> int:
        """Lay out the views and the change, in two columns if they fit; return the height."""
        before, after = self.views
        half = halves(width, GUTTER + 2 * CARD_INSET)
        is_single = self._is_same and not half
        for each in (before, self._change):
            each.setVisible(not is_single)
        if move:
            self._arrow = QLineF()
            self.update()
        if is_single:
            return stack((after,), width, 0, move=move)
        if half:
            return self._beside(width, half, move)
        y = stack((before,), width, 0, move=move) + _GAP
        left = self._theme.px(_ARROW)
        words = stack((self._change,), width - left, 0, move=move, top=y, left=left)
        if move:
            self._arrow = QLineF(left / 2, y, left / 2, words)
        return stack((after,), width, 0, move=move, top=words + _GAP)

    def _beside(self, width: int, half: int, move: bool) -> int:
        before, after = self.views
        bottom = stack((before,), half, 0, move=move)
        bottom = max(bottom, stack((after,), half, 0, move=move, left=width - half))
        # At the height of the first cells, between the two cards.
        left, space = half + CARD_INSET + _WORDS, GUTTER - 2 * _WORDS
        top = self._change.fontMetrics().height()
        words = stack((self._change,), space, 0, move=move, top=top, left=left)
        if move:
            y = words + _GAP
            self._arrow = QLineF(left, y, left + space, y)
        return max(bottom, words + 2 * _GAP)

    def paintEvent(self, event: QPaintEvent) -> None:
        """Paint the arrow."""
        if self._arrow.isNull():
            return
        painter = QPainter(self)
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        painter.setPen(QPen(self._theme.color(self._tone), 1.6))
        painter.drawLine(self._arrow)
        for turn in (150, 210):
            head = QLineF(self._arrow.p2(), self._arrow.p2() + QPointF(_HEAD, 0))
            head.setAngle(self._arrow.angle() + turn)
            painter.drawLine(head)
        painter.end()


class StepLinks(ColumnLayoutWidget):
    """A label followed by links to steps, or to places inside of them.

    Signals:
        jump_requested: The `DocumentLink` of a link that was clicked.
    """

    jump_requested = Signal(object)

    def __init__(self, theme: Theme, parent: QWidget) -> None:
        super().__init__(parent)
        self._text = ""
        self._label = PlainLabel(muted=True, parent=self)
        self._label.show()
        self._pills = TagPills(theme, self)
        self._pills.jump_requested.connect(self.jump_requested)

    def show_row(self, row: PlacesRow) -> None:
        """Show other links."""
        self._text = row.text
        self._pills.show(tuple(self._tag(crumb) for crumb in row.places))
        self.setAccessibleName(row.text)
        self.refresh()

    def place(self, width: int, *, move: bool) -> int:
        """Lay out label and links in lines; return the height."""
        self._label.show_short(self._text, min(_LABEL_WIDTH, width))
        return flow((self._label, *self._pills.pills), width, _GAP, move=move)

    def _tag(self, crumb: Breadcrumb) -> Tag:
        tip = self.tr("Go to {place}").format(place=crumb.text)
        inside = crumb.place.stage is not None
        link = DocumentLink(place=crumb.place) if inside else DocumentLink(step=crumb.place.step)
        return Tag(crumb.text, "plain", tip, link)


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
            is_block = isinstance(row, TextRow) and row.block
            kind = PlainBlock if is_block else _KINDS[type(row)]
            shown.append(self._take(kind, left, section, source.theme))
            _fill(shown[-1], row, source, scale)
        for widget in left:
            widget.hide()
            self._spare[type(widget)].append(widget)
        return shown

    def prepare(self, section: QWidget, theme: Theme, count: int) -> None:
        """Create hidden tensor views, which the section will use."""
        for at in range(count):
            view = self._make(TensorView, theme, section)
            if at < _WITH_BUTTONS and isinstance(view, TensorView):
                view.buttons.prepare()
            view.hide()
            self._spare[TensorView].append(view)

    def _take(
        self, kind: type[RowWidget], left: list[RowWidget], section: QWidget, theme: Theme
    ) -> RowWidget:
        found = next((widget for widget in left if type(widget) is kind), None)
        if found is not None:
            left.remove(found)
            return found
        spare = self._spare[kind]
        former = (widget for widget in spare if widget.parentWidget() is section)
        found = next(former, spare[0] if spare else None)
        if found is not None:
            spare.remove(found)
            return found
        # With its parent from the beginning: Qt polishes a widget again for each new one.
        return self._make(kind, theme, section)

    def _make(self, kind: type[RowWidget], theme: Theme, section: QWidget) -> RowWidget:
        if issubclass(kind, PlainBlock | PlainLabel):
            return kind(parent=section)
        widget = kind(theme, section)
        match widget:
            case TensorView():
                self._tensors.adopt(widget)
            case ChangeView():
                for view in widget.views:
                    self._tensors.adopt(view)
            case StepLinks():
                widget.jump_requested.connect(self._tensors.jump)
            case ScaleControl():
                widget.toggled.connect(self._tensors.share_scale)
            case MoreButton():
                widget.more_requested.connect(self.more_requested)
        if isinstance(widget, ColumnLayoutWidget):
            widget.height_changed.connect(self.height_changed)
        return widget


_KINDS: dict[type[FactRow], type[RowWidget]] = {
    ValueRow: TensorView,
    ChangeRow: ChangeView,
    PlacesRow: StepLinks,
    ScaleRow: ScaleControl,
    MoreRow: MoreButton,
    HiddenRow: HiddenTensor,
    TextRow: PlainLabel,
}
"""The class that shows a row of each class; a block of text is a `PlainBlock`."""


def _fill(widget: RowWidget, row: FactRow, source: RowSource, scale: SharedScale) -> None:
    match widget, row:
        case TensorView(), ValueRow():
            fill_view(widget, row, source, scale)
        case ChangeView(), ChangeRow():
            widget.show_row(row, source, scale)
        case StepLinks(), PlacesRow():
            widget.show_row(row)
        case ScaleControl(), ScaleRow():
            widget.show_row(row, scale)
        case MoreButton(), MoreRow():
            widget.show_row(row)
        case HiddenTensor(), HiddenRow():
            widget.show_name(row.name)
        case PlainBlock(), TextRow():
            widget.show_text(row.text)
        case PlainLabel(), TextRow():
            _show(widget, row)


def _show(label: PlainLabel, row: TextRow) -> None:
    colors = QPalette.ColorRole
    role = colors.PlaceholderText if row.tone == "plain" else colors.WindowText
    # Qt lays a label out again for each new role, even if it is the same.
    if role != label.foregroundRole():
        label.setForegroundRole(role)
    label.setText(row.text)
