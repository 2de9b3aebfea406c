"""Values of two runs, prepared for side-by-side display."""

from __future__ import annotations

from collections.abc import Hashable, Sequence
from dataclasses import dataclass, replace
from typing import Literal, cast

from PySide6.QtCore import Qt
from PySide6.QtGui import QPalette
from PySide6.QtWidgets import QHBoxLayout, QScrollArea, QVBoxLayout, QWidget

from gradviz.analysis.compare.item_pairs import ItemRole, ValuePair
from gradviz.analysis.compare.run_comparison import ComparedValue, RunComparison
from gradviz.analysis.compare.tensor_difference import value_difference
from gradviz.analysis.index.trace_index import TraceIndex
from gradviz.catalogue.messages import say
from gradviz.document.document import Document, Field, FieldTone, Row
from gradviz.drawing.appearance.color_map import shared_color_limit, side_by_side_limits
from gradviz.model.item import Item
from gradviz.model.statistics import statistics_of
from gradviz.model.tensor import TensorRecord, TensorValue
from gradviz.text.compare import short_value_name, verdict_text
from gradviz.text.phrases import record_shape_text
from gradviz.viewer.rows.rows_view import ColumnWidth
from gradviz.viewer.tensor_view.small.tensor_view import TensorView
from gradviz.viewer.theme.theme import Theme
from gradviz.viewer.translation import translate
from gradviz.viewer.widgets.layouts import lay_out, scroll
from gradviz.viewer.widgets.scale_bar import ScaleBar

_ROLES = {"local": "compare.role.local", "value": "page.compare.role.returned"}
"""Keys of the words for roles that no value of a page has."""

_MOST_BYTES = 1 << 20
"""Larger values are not read, as this would block the GUI thread."""


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class SideValue:
    """One value of one run.

    Attributes:
        text: Text to show if there is nothing to paint.
        record: Record of a tensor; None for anything else.
        value: Its stored elements; None if there is nothing to paint.
    """

    text: str
    record: TensorRecord | None = None
    value: TensorValue | None = None


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class PairedValue:
    """One value in both runs.

    Attributes:
        name: Name of the value.
        role: Its role in the step.
        left: The value on the left.
        right: The value on the right.
        difference: Right minus left in elements; None if it is undefined or zero.
        limit: The shared color scale goes from minus this to this.
        comparison: Result of the comparison, as text.
        agrees: Whether the two count as equal.
        same: Whether they are equal bit for bit.
    """

    name: str
    role: str
    left: SideValue
    right: SideValue
    difference: TensorValue | None
    limit: float
    comparison: str
    agrees: bool
    same: bool


def value_pairs_of(found: RunComparison, left: int | None, right: int | None) -> list[PairedValue]:
    """Return the values of two steps, one of which may be None; differences come first.

    The end of a pass has no values of its own; it sums up what the leaves received.
    """
    values = found.values(left, right) or found.received(left, right)
    rows = side_by_side([compared_value(found, value) for value in values])
    return sorted(rows, key=lambda row: (row.agrees, row.same))


def side_by_side(rows: list[PairedValue]) -> list[PairedValue]:
    """The same values on one color scale, as far as none looks like zero only because of it."""
    limits = side_by_side_limits({at: (0.0, row.limit) for at, row in enumerate(rows)})
    return [replace(row, limit=limits[at]) for at, row in enumerate(rows)]


def compared_value(found: RunComparison, value: ComparedValue) -> PairedValue:
    """Read a value of a comparison, with its difference."""
    return paired_value(
        (found.left, found.right),
        value.pair,
        comparison=verdict_text(found, value),
        agrees=not value.differs,
        same=value.difference.verdict == "equal",
    )


def paired_value(
    runs: tuple[TraceIndex, TraceIndex],
    pair: ValuePair,
    *,
    comparison: str,
    agrees: bool,
    same: bool,
) -> PairedValue:
    """Read a value of both runs, and compute its difference and the color scale of all three.

    Args:
        runs: The left and the right run.
        pair: The value on both sides.
        comparison: Result of the comparison, as text.
        agrees: Whether the two count as equal.
        same: Whether they are equal bit for bit.
    """
    left, right = side_value(runs[0], pair.left), side_value(runs[1], pair.right)
    difference = None if same else value_difference(left.value, right.value)
    values = [each for each in (left.value, right.value, difference) if each is not None]
    return PairedValue(
        name=_name_of(pair),
        role=role_text(pair.role),
        left=left,
        right=right,
        difference=difference,
        limit=shared_color_limit(each.array() for each in values),
        comparison=comparison,
        agrees=agrees,
        same=same,
    )


def _name_of(pair: ValuePair) -> str:
    """Name of a value, as the inspector shows it."""
    if pair.role == "contribution" and not pair.target:
        return translate("Changes", "gradient")
    return short_value_name(pair)


def side_value(index: TraceIndex, item: Item | None) -> SideValue:
    """Read one value of one run; the elements of a very large tensor are left out."""
    if item is None:
        return SideValue(text=translate("Compare", "missing"))
    if item.tensor is None:
        return SideValue(text=item.text if item.kind == "object" else translate("Compare", "None"))
    record = index.tensor.bare(item.tensor)
    text = f"{record_shape_text(record)}, {record.dtype}"
    if record.kept_bytes > _MOST_BYTES:
        return SideValue(text=text, record=record)
    return SideValue(text=text, record=index.tensor[item.tensor], value=index.value(item.tensor))


def difference_side(pair: PairedValue) -> SideValue | None:
    """The difference with a record of its own, for a tensor view; None without a difference."""
    kept, value = pair.left.record, pair.difference
    if kept is None or value is None:
        return None
    record = TensorRecord(
        id=0,
        dtype=value.dtype,
        shape=kept.shape,
        strides=kept.strides,
        device="cpu",
        layout="strided",
        requires_grad=False,
        storage=None,
        version=None,
        content=kept.content,
        kept_shape=kept.kept_shape,
        kept_steps=kept.kept_steps,
        note=kept.note,
        statistics=statistics_of(value.array()),
    )
    return SideValue(text="", record=record, value=value)


def role_text(role: ItemRole) -> str:
    """Return the role of a value in its step, in one or two words."""
    return say(_ROLES.get(role, f"page.compare.role.{role}"))


class ValuePairView(QScrollArea):
    """Three tensors side by side; the difference is hidden if it is zero or undefined."""

    def __init__(self, theme: Theme) -> None:
        super().__init__()
        self._ground = QWidget()
        self._ground.setBackgroundRole(QPalette.ColorRole.Base)
        self.views = tuple([TensorView(theme) for _ in range(3)])
        self.scale = ScaleBar(theme)
        row = lay_out(
            QHBoxLayout(), *[(view, 1, Qt.AlignmentFlag.AlignTop) for view in self.views], gap=16
        )
        lay_out(QVBoxLayout(self._ground), row, self.scale, 1, margins=(8, 4, 8, 4))
        scroll(self, self._ground)
        self.setBackgroundRole(QPalette.ColorRole.Base)
        self.setAccessibleName(self.tr("Selected value in both runs"))

    def show_pair(self, pair: PairedValue | None, red: Sequence[bool] = (False, False)) -> None:
        """Show a value, with red or gray counts of NaN and Inf per side; None clears the view."""
        self._ground.setVisible(pair is not None)
        if pair is None:
            return
        left, right, difference_view = self.views
        _show(left, self.tr("{0}, left").format(pair.name), pair.left, pair.limit, red[0])
        _show(right, self.tr("{0}, right").format(pair.name), pair.right, pair.limit, red[1])
        self.scale.set_limit(pair.limit)
        self.scale.setVisible(pair.left.value is not None or pair.right.value is not None)
        difference = difference_side(pair)
        difference_view.setVisible(difference is not None)
        if difference is not None:
            _show(difference_view, self.tr("right − left"), difference, pair.limit, any(red))


def _show(view: TensorView, name: str, shown: SideValue, limit: float, red: bool) -> None:
    if shown.record is None:
        view.show_none(name, shown.text)
    else:
        view.show_tensor(name, shown.record, shown.value, limit=limit, is_harmful=red)
    # These buttons act on tensors of the window's own run.
    view.buttons.hide()


PAIR_WIDTHS = (
    ColumnWidth(112),
    ColumnWidth(74),
    ColumnWidth(74),
    ColumnWidth(74),
    ColumnWidth(90, grows=1),
)


def pairs_document(pairs: Sequence[PairedValue], kind: Literal["run", "change"]) -> Document:
    """Return a row for each value, which is its key.

    Args:
        pairs: The values.
        kind: What is compared: two runs, or a run with one whose values were changed.
    """
    if kind == "change":
        titles = (
            translate("DifferencesTable", "Value"),
            translate("DifferencesTable", "Original"),
            translate("DifferencesTable", "Changed"),
            translate("DifferencesTable", "Difference"),
            translate("DifferencesTable", "Largest difference"),
        )
    else:
        titles = (
            translate("ValuePairTable", "Value"),
            translate("ValuePairTable", "Left"),
            translate("ValuePairTable", "Right"),
            translate("ValuePairTable", "Right − left"),
            translate("ValuePairTable", "Comparison"),
        )

    def row(key: Hashable) -> Row:
        pair = cast("PairedValue", key)
        tone: FieldTone = "muted" if pair.same else "plain"

        def value(text: str, picture: TensorValue | None) -> Field:
            shown = "" if picture is not None else text
            return Field(text=shown, tip=text, tone=tone, tensor=picture, limit=pair.limit)

        difference = "" if pair.difference is None else pair.comparison
        tip = pair.comparison
        if kind == "change":
            tip = translate(
                "DifferencesTable", "{0}\nIn parentheses: relative to the original element."
            ).format(tip)
        strong = kind == "run" and not pair.agrees
        texts = (pair.name, pair.role, pair.left.text, pair.right.text, pair.comparison)
        fields = (
            Field(text=f"{pair.name}\n{pair.role}", tone=tone),
            value(pair.left.text, pair.left.value),
            value(pair.right.text, pair.right.value),
            value(difference, pair.difference),
            Field(text=pair.comparison, tip=tip, tone=tone, strong=strong),
        )
        return Row(fields=fields, spoken=", ".join(filter(None, texts)))

    return Document(titles=titles, keys=pairs, row=row)
