"""The fields of one input: what kind it is, its shape, its type, and how it is filled."""

from __future__ import annotations

from typing import cast, get_args

from PySide6.QtCore import QSize, Signal, Slot
from PySide6.QtWidgets import (
    QCheckBox,
    QComboBox,
    QGridLayout,
    QHBoxLayout,
    QLineEdit,
    QSizePolicy,
    QStyle,
    QStyleOptionComboBox,
    QVBoxLayout,
    QWidget,
)

from gradviz.model.inputs import DIFFERENTIABLE_DTYPES, DTYPES, Fill, InputKind, InputSpec
from gradviz.viewer.elided_label import ElidedLabel
from gradviz.viewer.inputs.parse import (
    FieldError,
    parse_literal,
    parse_shape,
    parse_values,
    shape_text,
    values_text,
)
from gradviz.viewer.plain_text import PlainLabel
from gradviz.viewer.theme import Theme


class InputRow(QWidget):
    """Edits one `InputSpec`.

    Signals:
        changed: Something was edited.
    """

    changed = Signal()

    def __init__(self, spec: InputSpec, theme: Theme, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._first = spec
        self.kind = _combo(
            {"tensor": self.tr("tensor"), "none": "None", "object": self.tr("object")}
        )
        self.grad = QCheckBox(self.tr("grad"))
        self.grad.setToolTip(self.tr("requires_grad: whether a gradient is computed for it"))
        self.shape = QLineEdit(shape_text(spec.shape))
        self.shape.setPlaceholderText(self.tr("scalar"))
        self.shape.setMinimumWidth(58)
        self.shape.setCursorPosition(0)
        self.dtype = _combo({name: name for name in DTYPES})
        self.dtype.setMinimumWidth(_width_for("complex128", self.dtype))
        fills = [fill for fill in get_args(Fill) if fill != "given" or spec.fill == "given"]
        self.fill = _combo({fill: fill for fill in fills})
        self.fill.setMinimumWidth(_width_for("arange", self.fill))
        self.values = QLineEdit(values_text(spec.values))
        self.text = QLineEdit(spec.text)
        self.problem = PlainLabel()
        self._name_fields()
        self._lay_out()
        self.set_theme(theme)
        self._show_spec(spec)
        self._connect()

    @property
    def name(self) -> str:
        """The argument that it is for."""
        return self._first.name

    @property
    def fields(self) -> tuple[QWidget, ...]:
        """What can be edited, in the order of reading."""
        return (
            self.grad,
            self.kind,
            self.shape,
            self.dtype,
            self.fill,
            self.values,
            self.text,
        )

    def spec(self) -> InputSpec | None:
        """What the fields say; None while one of them does not fit."""
        return None if self.problem.text() else self._read()

    def set_theme(self, theme: Theme) -> None:
        """Draws with another theme."""
        palette = self.problem.palette()
        palette.setColor(self.problem.foregroundRole(), theme.colour("error"))
        self.problem.setPalette(palette)

    def _name_fields(self) -> None:
        name = self.name
        self.kind.setAccessibleName(self.tr("{0}: kind").format(name))
        self.grad.setAccessibleName(self.tr("{0}: requires_grad").format(name))
        self.shape.setAccessibleName(self.tr("{0}: shape").format(name))
        self.dtype.setAccessibleName(self.tr("{0}: dtype").format(name))
        self.fill.setAccessibleName(self.tr("{0}: fill").format(name))
        self.values.setAccessibleName(self.tr("{0}: values").format(name))
        self.text.setAccessibleName(self.tr("{0}: Python literal").format(name))
        self.shape.setToolTip(self.tr("Shape, like 2×3; empty for a single number"))
        self.dtype.setToolTip(self.tr("dtype"))
        self.fill.setToolTip(self.tr("How the elements are made"))
        self.values.setToolTip(self.tr("The elements, row by row"))
        self.text.setToolTip(self.tr("A Python literal, like 3 or 'mean'"))

    def _lay_out(self) -> None:
        head = QHBoxLayout()
        head.addWidget(ElidedLabel(self.name, bold=True), 1)
        head.addWidget(self.grad)
        head.addWidget(self.kind)
        self._tensor = QWidget()
        grid = QGridLayout(self._tensor)
        grid.setContentsMargins(0, 0, 0, 0)
        grid.setSpacing(4)
        grid.addWidget(self.shape, 0, 0)
        grid.addWidget(self.dtype, 0, 1)
        grid.addWidget(self.fill, 0, 2)
        grid.addWidget(self.values, 1, 0, 1, 3)
        grid.setColumnStretch(0, 5)
        grid.setColumnStretch(1, 1)
        grid.setColumnStretch(2, 1)
        layout = QVBoxLayout(self)
        layout.setContentsMargins(0, 0, 0, 6)
        layout.setSpacing(4)
        layout.addLayout(head)
        layout.addWidget(self._tensor)
        layout.addWidget(self.text)
        layout.addWidget(self.problem)
        self.setSizePolicy(QSizePolicy.Policy.Preferred, QSizePolicy.Policy.Fixed)

    def _show_spec(self, spec: InputSpec) -> None:
        for combo, value in (
            (self.kind, spec.kind),
            (self.dtype, spec.dtype),
            (self.fill, spec.fill),
        ):
            combo.setCurrentIndex(max(0, combo.findData(value)))
        self.grad.setChecked(spec.requires_grad)
        self._on_field_changed()

    def _connect(self) -> None:
        for combo in (self.kind, self.dtype, self.fill):
            combo.currentIndexChanged.connect(self._on_field_changed)
        for line in (self.shape, self.values, self.text):
            line.textEdited.connect(self._on_field_changed)
        self.grad.toggled.connect(self._on_field_changed)

    def _read(self) -> InputSpec:
        kind = cast(InputKind, self.kind.currentData())
        if kind == "none":
            return InputSpec(name=self.name, kind="none")
        if kind == "object":
            return InputSpec(name=self.name, kind="object", text=parse_literal(self.text.text()))
        shape, dtype = parse_shape(self.shape.text()), str(self.dtype.currentData())
        fill = cast(Fill, self.fill.currentData())
        if fill == "given":
            shape, dtype = self._first.shape, self._first.dtype
        values = parse_values(self.values.text(), shape) if fill == "values" else ()
        return InputSpec(
            name=self.name,
            shape=shape,
            dtype=dtype,
            fill=fill,
            values=values,
            requires_grad=self.grad.isChecked() and dtype in DIFFERENTIABLE_DTYPES,
        )

    @Slot()
    def _on_field_changed(self) -> None:
        kind, fill = self.kind.currentData(), self.fill.currentData()
        self._tensor.setVisible(kind == "tensor")
        self.grad.setVisible(kind == "tensor")
        self.text.setVisible(kind == "object")
        self.values.setVisible(fill == "values")
        self.shape.setEnabled(fill != "given")
        self.dtype.setEnabled(fill != "given")
        self.grad.setEnabled(self.dtype.currentData() in DIFFERENTIABLE_DTYPES)
        try:
            self._read()
            self.problem.setText("")
        except FieldError as error:
            self.problem.setText(str(error))
        self.problem.setVisible(bool(self.problem.text()))
        self.changed.emit()


def _combo(entries: dict[str, str]) -> QComboBox:
    combo = QComboBox()
    for value, text in entries.items():
        combo.addItem(text, value)
    combo.setMinimumContentsLength(4)
    combo.setSizeAdjustPolicy(QComboBox.SizeAdjustPolicy.AdjustToMinimumContentsLengthWithIcon)
    combo.setSizePolicy(QSizePolicy.Policy.Preferred, QSizePolicy.Policy.Fixed)
    return combo


def _width_for(text: str, combo: QComboBox) -> int:
    """So wide that an entry is not cut beside the arrow."""
    option = QStyleOptionComboBox()
    combo.initStyleOption(option)
    size = QSize(combo.fontMetrics().horizontalAdvance(text), combo.fontMetrics().height())
    kind = QStyle.ContentsType.CT_ComboBox
    return combo.style().sizeFromContents(kind, option, size, combo).width()
