"""The title of each map, and the lines below: structure, marks, and buttons."""

from __future__ import annotations

from collections.abc import Sequence

from PySide6.QtCore import QRectF, QSize, Qt, Signal
from PySide6.QtGui import QFontMetrics, QPainter, QPaintEvent, QResizeEvent
from PySide6.QtWidgets import (
    QBoxLayout,
    QComboBox,
    QHBoxLayout,
    QPushButton,
    QSizePolicy,
    QVBoxLayout,
    QWidget,
)

from gradviz.catalogue.messages import say
from gradviz.drawing.cells.layout import corners, outline
from gradviz.drawing.cells.pair_matrices import PairMatrices
from gradviz.viewer.jacobians.report import element_text
from gradviz.viewer.tensor_view.cell_painter import paint_cells, rect_of
from gradviz.viewer.theme.theme import (
    SMALL_PIXELS,
    Theme,
    set_style_sheet,
    sheet_color,
)
from gradviz.viewer.theme.theme_update import set_theme_font, set_theme_icon
from gradviz.viewer.widgets.layouts import lay_out
from gradviz.viewer.widgets.plain_text import PlainLabel, plain_tooltip
from gradviz.viewer.widgets.segment_switch import SegmentSwitch
from gradviz.viewer.widgets.wheel_guard import WheelGuard


class MapTitle(QWidget):
    """Title or choice, centered above its map.

    Attributes:
        box: The drop-down list; None if there is only one option.
        switch: The buttons; None if the options are in a list.

    Signals:
        chosen: Index of the option that the user chose.
    """

    chosen = Signal(object)

    def __init__(
        self,
        theme: Theme,
        title: str,
        options: Sequence[tuple[str, str]],
        *,
        side_by_side: bool = False,
    ) -> None:
        """Create the title.

        Args:
            theme: Colors and fonts.
            title: Name of the choice for screen readers.
            options: Name and tooltip of each thing that the map can show, at least one.
            side_by_side: Whether all options are visible as buttons.
        """
        super().__init__()
        self._options = tuple(options)
        self._label = PlainLabel(options[0][0], bold=True)
        self.box: QComboBox | None = None
        self.switch: SegmentSwitch | None = None
        lay_out(QHBoxLayout(self), 1, *self._parts(theme, title, side_by_side=side_by_side), 1)

    @property
    def text(self) -> str:
        """Name of the selected option."""
        return self._label.text() if self.box is None else self.box.currentText()

    def show_chosen(self, place: int) -> None:
        """Show which option is selected."""
        if self.box is not None:
            self.box.setCurrentIndex(place)
        if self.switch is not None:
            self.switch.segment(place).setChecked(True)

    def show_compact(self, compact: bool) -> None:
        """Show a list instead of buttons if there is little space."""
        if self.box is not None and self.switch is not None:
            self.box.setVisible(compact)
            self.switch.setVisible(not compact)

    def _parts(self, theme: Theme, title: str, *, side_by_side: bool) -> list[QWidget]:
        if len(self._options) == 1:
            self._label.setWordWrap(False)
            self._label.setSizePolicy(self.sizePolicy())
            self._label.setAlignment(Qt.AlignmentFlag.AlignCenter)
            self._label.setToolTip(self._options[0][1])
            return [self._label]
        parts: list[QWidget] = []
        if side_by_side:
            self.switch = SegmentSwitch(theme, title, self._options, side=7)
            self.switch.segment_chosen.connect(self.chosen.emit)
            parts.append(self.switch)
        self.box = QComboBox()
        self.box.setAccessibleName(title)
        set_theme_font(self.box, theme, SMALL_PIXELS, bold=True)
        # Showing it before it has a parent would open a window, which takes the keyboard away.
        if side_by_side:
            self.box.hide()
        for place, (name, tip) in enumerate(self._options):
            self.box.addItem(name)
            self.box.setItemData(place, tip, Qt.ItemDataRole.ToolTipRole)
        WheelGuard(self.box)
        # Unlike `currentIndexChanged`, it is emitted only for the user's own choice.
        self.box.activated.connect(self.chosen.emit)
        return [*parts, self.box]


_SIGN = 14
_GAP = 6


class SignLegend(QWidget):
    """One line: corner and bars mark elements outside the tolerance, an outline the worst."""

    def __init__(self, theme: Theme) -> None:
        super().__init__()
        self._theme = theme
        self._wrong = self.tr("outside the tolerance")
        self._worst = self.tr("worst, cursor")
        self.setSizePolicy(QSizePolicy.Policy.Preferred, QSizePolicy.Policy.Fixed)
        set_theme_font(self, theme, SMALL_PIXELS)

    def sizeHint(self) -> QSize:
        """Size of the line."""
        metrics = QFontMetrics(self.font())
        words = sum(metrics.horizontalAdvance(text) for text in (self._wrong, self._worst))
        width = words + 3 * (_SIGN + _GAP) + 4 * _GAP
        return QSize(width, max(_SIGN, metrics.height()) + 2)

    def paintEvent(self, event: QPaintEvent) -> None:
        """Paint the marks and their texts, centered."""
        painter = QPainter(self)
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        metrics = QFontMetrics(self.font())
        widths = [metrics.horizontalAdvance(text) for text in (self._wrong, self._worst)]
        x = max(0.0, (self.width() - sum(widths) - 3 * (_SIGN + _GAP) - 4 * _GAP) / 2)
        y = (self.height() - _SIGN) / 2
        box = QRectF(x, y, _SIGN, _SIGN)
        painter.fillRect(box, self._theme.color("raised"))
        paint_cells(painter, corners([rect_of(box)]))
        x += _SIGN + _GAP
        self._paint_bars(painter, QRectF(x, y, _SIGN, _SIGN))
        x += _SIGN + _GAP
        x = self._write(painter, x, self._wrong, widths[0]) + 3 * _GAP
        box = QRectF(x, y, _SIGN, _SIGN)
        painter.fillRect(box, self._theme.color("raised"))
        paint_cells(painter, outline(rect_of(box), 2))
        self._write(painter, x + _SIGN + _GAP, self._worst, widths[1])
        painter.end()

    def _paint_bars(self, painter: QPainter, box: QRectF) -> None:
        """Paint a small map with a bar above it and one beside it."""
        painter.fillRect(box.adjusted(0, 5, -5, 0), self._theme.color("raised"))
        ink = self._theme.color("error")
        painter.fillRect(QRectF(box.left() + 2, box.top(), 5, 3), ink)
        painter.fillRect(QRectF(box.right() - 3, box.bottom() - 7, 3, 5), ink)

    def _write(self, painter: QPainter, x: float, text: str, width: int) -> float:
        painter.setPen(self._theme.color("text_muted"))
        box = QRectF(x, 0, width + 2, self.height())
        painter.drawText(box, Qt.AlignmentFlag.AlignVCenter | Qt.AlignmentFlag.AlignLeft, text)
        return x + width


_NARROW = 32
"""Width in lines of text up to which buttons and legend are placed below each other."""


class MapFooter(QWidget):
    """One or two lines of text and three buttons.

    Attributes:
        structure: The structure of the matrices.
        buttons: Those for zeros, the worst element, and the whole matrix.
    """

    def __init__(self, matrices: PairMatrices, theme: Theme) -> None:
        super().__init__()
        self._about, self._blocks = "", (1, 1)
        self.structure = PlainLabel(muted=True)
        self._legend = SignLegend(theme)
        self._zeros = QPushButton(self.tr("Zeros"))
        self._worst = QPushButton(self.tr("Worst Element"))
        self._fit = QPushButton(self.tr("Fit"))
        self.buttons = self._zeros, self._worst, self._fit
        self._zeros.setCheckable(True)
        self._worst.setToolTip(
            self.tr("Go to the element with the largest error relative to the tolerance")
        )
        self._fit.setToolTip(self.tr("Show the whole matrix (F, or double-click)"))
        self._lay_out()
        self.show_matrices(matrices)
        self._theme = theme
        for button in self.buttons:
            set_theme_font(button, theme)
        set_theme_icon(self._worst, theme, "jump")
        set_theme_icon(self._fit, theme, "fit")
        self.update_theme()

    def show_matrices(self, matrices: PairMatrices) -> None:
        """Show other matrices."""
        choice = matrices.choice
        pairs = zip((choice.base, choice.other), matrices.structures, strict=True)
        texts = [
            element_text.structure_text(element_text.source_name(source), structure)
            for source, structure in pairs
        ]
        # Only the second matrix: a central difference has noise in place of exact zeros.
        about = self.tr("{structure} · difference = {difference}").format(
            structure=texts[1], difference=element_text.option_text("difference", matrices)[1]
        )
        self._about = about if all(matrices.shape) else ""
        self.show_blocks(self._blocks)
        self.structure.setToolTip(plain_tooltip("\n".join(texts)))
        self._legend.setVisible(matrices.wrong.count > 0)
        self._worst.setEnabled(bool(matrices.worst_elements))
        self._zeros.setChecked(choice.zeros)
        share = element_text.zero_share(matrices.structures[1])
        self._zeros.setText(self.tr("Zeros: {share}").format(share=share))
        text = self.tr("Highlight exact zeros, however small the other elements are.\n{texts}")
        self._zeros.setToolTip(plain_tooltip(text.format(texts="\n".join(texts))))

    def show_blocks(self, blocks: tuple[int, int]) -> None:
        """Show how many rows and columns share a color on the map where most do."""
        self._blocks = rows, columns = blocks
        pooled = "" if blocks == (1, 1) else say("heatmap.pooled", rows=rows, columns=columns)
        self.structure.setText("\n".join(filter(None, (pooled, self._about))))

    def update_theme(self) -> None:
        """Repaint in another theme."""
        soft, accent = sheet_color("accent_soft"), sheet_color("accent")
        # Fusion's own checked state is hardly visible in the dark theme.
        set_style_sheet(
            self._zeros,
            f"""QPushButton:checked {{
                background: {soft}; color: {accent}; border: 1px solid {accent};
                border-radius: 3px; padding: {self._theme.px(3)}px {self._theme.px(6)}px;
            }}
            QPushButton:checked:focus {{ border-width: 2px; }}""",
        )

    def resizeEvent(self, event: QResizeEvent) -> None:
        """Put the legend below the buttons where there is little space beside them."""
        super().resizeEvent(event)
        is_narrow = self.width() < _NARROW * self.fontMetrics().height()
        direction = QBoxLayout.Direction
        self._row.setDirection(direction.TopToBottom if is_narrow else direction.LeftToRight)

    def _lay_out(self) -> None:
        buttons = lay_out(QHBoxLayout(), *self.buttons, gap=4)
        self._row = lay_out(QHBoxLayout(), buttons, 1, self._legend)
        lay_out(QVBoxLayout(self), self.structure, self._row, gap=2)
