"""Cell texts of the op table."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass
from itertools import islice

from gradviz.analysis.index.trace_index import TraceIndex
from gradviz.document.location_text import location_text, location_title, op_title
from gradviz.model.inside import Op, StageKind, StageRecord
from gradviz.model.item import Item
from gradviz.model.source import Location, user_line
from gradviz.text.phrases import record_shape_text
from gradviz.viewer.translation import plural, translate

_LOOKED_AT = 300
"""Maximum number of ops examined to find the common values of a step."""

_MOST_TEXT = 40
"""Maximum number of characters of a non-tensor value in a cell."""

_ENGINE_STAGES: tuple[StageKind, ...] = ("backward", "engine", "accumulate")


@dataclass(frozen=True, slots=True)
class CommonValues:
    """Properties shared by most tensors and ops of a step, omitted from the cells.

    Attributes:
        dtype: Empty if there are no tensors.
        device: Empty if there are no tensors.
        path: The file whose lines call most ops; empty if none does.
    """

    dtype: str = ""
    device: str = ""
    path: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class OpCellText:
    """The cells of one op.

    Attributes:
        name: The op's name.
        inputs: Its inputs.
        outputs: Its outputs.
        note: The inputs it writes into, and anything unusual.
        time: Its duration; a dash if it was not measured.
        line: The line that called it.
        unusual: Whether any input, and any output, has an uncommon dtype or device.
        tip: An explanation of the note; may be empty.
    """

    name: str
    inputs: str
    outputs: str
    note: str
    time: str
    line: str
    unusual: tuple[bool, bool]
    tip: str

    @property
    def cells(self) -> tuple[str, ...]:
        """The cells in column order."""
        return (self.name, self.inputs, self.outputs, self.note, self.time, self.line)


def common_values_in(index: TraceIndex, parts: Iterable[StageRecord]) -> CommonValues:
    """Return the most frequent values among the ops of some parts and their tensors."""
    dtypes: Counter[str] = Counter()
    devices: Counter[str] = Counter()
    paths: Counter[str] = Counter()
    for op in islice((op for part in parts for op in part.ops), _LOOKED_AT):
        location = user_line(op.location)
        if location is not None:
            paths[location.path] += 1
        for item in (*op.inputs, *op.outputs):
            if item.tensor is not None and item.tensor in index.tensor:
                record = index.tensor.bare(item.tensor)
                dtypes[record.dtype] += 1
                devices[record.device] += 1
    return CommonValues(dtype=_most(dtypes), device=_most(devices), path=_most(paths))


def _most(counts: Counter[str]) -> str:
    return next((name for name, _ in counts.most_common(1)), "")


def op_cell_text_of(index: TraceIndex, op: Op, stage: StageKind, usual: CommonValues) -> OpCellText:
    """Return the cells of an op.

    Args:
        index: The trace.
        op: The op.
        stage: The stage in which it ran.
        usual: Values that are omitted for each tensor.
    """
    inputs, unusual_in = _items(index, op.inputs, usual)
    outputs, unusual_out = _items(index, op.outputs, usual)
    note, tip = _note(op)
    return OpCellText(
        name=op_title(op),
        inputs=inputs,
        outputs=outputs,
        note=note,
        time=duration_text(op.duration_ns),
        line=caller_text(user_line(op.location), stage, usual.path),
        unusual=(unusual_in, unusual_out),
        tip=tip,
    )


def caller_text(location: Location | None, stage: StageKind, path: str) -> str:
    """Return the line that called an op, with its file unless it is ``path``, or the caller."""
    if location is not None:
        return location_title(location) if location.path == path else location_text(location)
    return translate("Ops", "engine") if stage in _ENGINE_STAGES else translate("Ops", "torch")


def duration_text(nanoseconds: int | None) -> str:
    """Return ``480 ns``, ``36.4 µs``, ``1.20 ms`` or ``2.50 s``; a dash if not measured."""
    if nanoseconds is None:
        return "–"
    if nanoseconds < 1000:
        return translate("Ops", "{value} ns").format(value=nanoseconds)
    for limit, unit in (
        (1e6, translate("Ops", "{value} µs")),
        (1e9, translate("Ops", "{value} ms")),
    ):
        # A value that rounds to 1000 of one unit is shown in the next.
        if nanoseconds < limit * 0.9995:
            return unit.format(value=_three_digits(nanoseconds / limit * 1000))
    return translate("Ops", "{value} s").format(value=_three_digits(nanoseconds / 1e9))


def _three_digits(value: float) -> str:
    if value < 9.995:
        return f"{value:.2f}"
    return f"{value:.1f}" if value < 99.95 else f"{value:,.0f}"


def written_names(op: Op) -> str:
    """Return the names of the inputs that an op modifies in place."""
    return ", ".join(op.inputs[at].name for at in op.writes if at < len(op.inputs))


def _note(op: Op) -> tuple[str, str]:
    notes: list[str] = []
    tips: list[str] = []
    if op.writes:
        notes.append(translate("Ops", "writes into {names}").format(names=written_names(op)))
        tips.append(
            translate("Ops", "The op changes this input in place; its memory stays the same.")
        )
    if not op.seen:
        notes.append(translate("Ops", "not tracked by autograd"))
        tips.append(
            translate(
                "Ops",
                "The data leaves torch here, for example for NumPy. Autograd cannot "
                "track it, so no gradient flows through it.",
            )
        )
    if not op.finished:
        notes.append(translate("Ops", "not finished"))
        tips.append(translate("Ops", "It raised an exception, or the run ended here."))
    return ", ".join(notes), "\n".join(tips)


def _items(index: TraceIndex, items: tuple[Item, ...], usual: CommonValues) -> tuple[str, bool]:
    texts: list[str] = []
    unusual = False
    for item in items:
        text, strange = _item(index, item, usual, alone=len(items) == 1)
        unusual |= strange
        if text:
            texts.append(text)
    return ", ".join(texts), unusual


def _item(index: TraceIndex, item: Item, usual: CommonValues, *, alone: bool) -> tuple[str, bool]:
    if item.kind == "none":
        return "", False
    if item.tensor is None or item.tensor not in index.tensor:
        return f"{_one_line(item.name)}={_cut(_one_line(item.text))}", False
    record = index.tensor.bare(item.tensor)
    parts = [] if alone and item.name == "output" else [_one_line(item.name)]
    parts.append(record_shape_text(record))
    if record.dtype != usual.dtype:
        parts.append(record.dtype)
    if record.device != usual.device:
        parts.append(record.device)
    return " ".join(parts), record.dtype != usual.dtype or record.device != usual.device


def count_text(count: int) -> str:
    """Return ``1 op`` or a count such as ``1,200 ops``."""
    return plural.tr("%Ln op(s)", "", count)


def _one_line(text: str) -> str:
    return " ".join(text.split())


def _cut(text: str) -> str:
    return text if len(text) <= _MOST_TEXT else text[: _MOST_TEXT - 1] + "…"


def no_op_text() -> str:
    """Return the hint for a stage without ops."""
    return translate("Ops", "no ops recorded")


def more_text(count: int) -> str:
    """Return the text that counts the ops not recorded."""
    return plural.tr("%Ln more op(s) ran that were not recorded", "", count)
