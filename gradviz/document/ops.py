"""The ops of a step as a document: stages, the lines below them, and the ops."""

from __future__ import annotations

from collections import Counter
from collections.abc import Hashable, Iterable
from dataclasses import dataclass
from itertools import islice
from typing import Literal, NamedTuple, cast

from gradviz.analysis.index.step_queries import step_at
from gradviz.analysis.index.trace_index import TraceIndex
from gradviz.analysis.position.trace_position import TracePosition, stages_of
from gradviz.catalogue.messages import say, say_count
from gradviz.document.document import Document, Field, FieldTone, Row
from gradviz.document.facts.node_facts import place_text
from gradviz.document.facts.step_facts import source_line
from gradviz.document.location_text import (
    line_text,
    location_text,
    location_title,
    op_title,
    stage_title,
)
from gradviz.model.inside import Op, StageKind, StageRecord
from gradviz.model.item import Item
from gradviz.model.source import Location, user_line
from gradviz.text.narration import describe_position
from gradviz.text.phrases import record_shape_text

LINE = 5
"""Number of the column with the line that called an op."""

_TITLES = ("op", "inputs", "outputs", "note", "time", "line")

OpRowKind = Literal["stage", "line", "op", "more"]

OpRowKey = tuple[StageKind, int | None, int | None]
"""Stage, line and op of a place; cheaper to create and to look up than a `TracePosition`."""


class OpRow(NamedTuple):
    """The key of one row; compact, as a step may have very many.

    Attributes:
        kind: ``more`` represents ops that were not recorded.
        stage: The stage that contains it.
        line: Position of the line in the part; None if no line was recorded.
        op: Position of the op in the part; for a line, of its first op; -1 for none.
    """

    kind: OpRowKind
    stage: StageKind
    line: int | None = None
    op: int = -1

    @property
    def key(self) -> OpRowKey:
        """The key of the place that the row leads to."""
        if self.kind == "op" or (self.kind == "line" and self.line is None):
            return (self.stage, self.line, self.op)
        return (self.stage, self.line, None)


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


def caller_text(location: Location | None, stage: StageKind, path: str) -> str:
    """Return the line that called an op, with its file unless it is ``path``, or the caller."""
    if location is not None:
        return location_title(location) if location.path == path else location_text(location)
    return say("ops.engine") if stage in _ENGINE_STAGES else say("ops.torch")


def duration_text(nanoseconds: int | None) -> str:
    """Return ``480 ns``, ``36.4 µs``, ``1.20 ms`` or ``2.50 s``; a dash if not measured."""
    if nanoseconds is None:
        return "–"
    if nanoseconds < 1000:
        return say("ops.ns", value=nanoseconds)
    for limit, unit in ((1e6, "us"), (1e9, "ms")):
        # A value that rounds to 1000 of one unit is shown in the next.
        if nanoseconds < limit * 0.9995:
            return say(f"ops.{unit}", value=_three_digits(nanoseconds / limit * 1000))
    return say("ops.s", value=_three_digits(nanoseconds / 1e9))


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
        notes.append(say("ops.writes_into", names=written_names(op)))
        tips.append(say("ops.writes_into.tip"))
    if not op.seen:
        notes.append(say("ops.untracked"))
        tips.append(say("ops.untracked.tip"))
    if not op.finished:
        notes.append(say("ops.not_finished"))
        tips.append(say("ops.not_finished.tip"))
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


def _one_line(text: str) -> str:
    return " ".join(text.split())


def _cut(text: str) -> str:
    return text if len(text) <= _MOST_TEXT else text[: _MOST_TEXT - 1] + "…"


class StepOps:
    """The ops of a step.

    Args:
        index: The trace.
        number: The step.

    Attributes:
        parts: What was recorded in each stage.
        usual: Dtype, device and file of most ops, which their rows leave out.
        unmeasured: Number of listed ops without a time.
    """

    def __init__(self, index: TraceIndex, number: int) -> None:
        self._index = index
        self._number = number
        inside = index.inside.get(number)
        self.parts = {} if inside is None else {part.stage: part for part in inside.parts}
        self.usual = common_values_in(index, self.parts.values())
        times = [op.duration_ns for part in self.parts.values() for op in part.ops]
        self.unmeasured = times.count(None)
        self._longest = max((each for each in times if each is not None), default=0)
        stages = stages_of(index, step_at(index, number))
        self._keys = [OpRow("stage", stage) for stage in stages]
        self._below: dict[Hashable, list[Hashable]] = {}
        # A line that runs again has one more row, but its place leads to the last one.
        self._at = {row.key: row for row in self._keys}
        for row in self._keys:
            if row.stage in self.parts:
                self._add_part(row, self.parts[row.stage])

    def _add_part(self, stage: OpRow, part: StageRecord) -> None:
        rows = inner = self._below[stage] = []
        before: object = None
        for at, op in enumerate(part.ops):
            caller = op.line if op.line is not None else user_line(op.location)
            if caller is not before and caller is not None and caller != before:
                line = OpRow("line", stage.stage, op.line, at)
                rows.append(line)
                inner = self._below[line] = []
                self._at[line.key] = line
            before = caller
            inner.append(OpRow("op", stage.stage, op.line, at))
        if part.more_ops:
            rows.append(OpRow("more", stage.stage))

    @property
    def ops(self) -> int:
        """Number of ops listed."""
        return sum(len(part.ops) for part in self.parts.values())

    @property
    def has_rows(self) -> bool:
        """Whether the step has stages, with or without ops."""
        return any(part.ops or part.more_ops for part in self.parts.values())

    def key_of(self, place: TracePosition | None) -> OpRow | None:
        """Return the row of a place; None if it has none."""
        if place is None or place.stage is None or place.step != self._number:
            return None
        if place.op is None:
            return self._at.get((place.stage, place.line, None))
        part = self.parts.get(place.stage)
        if part is None or place.op >= len(part.ops):
            return None
        return OpRow("op", place.stage, part.ops[place.op].line, place.op)

    def op_of(self, row: OpRow) -> Op | None:
        """Return the op of a row, or None for a heading."""
        return self.parts[row.stage].ops[row.op] if row.kind == "op" else None

    def place_of(self, row: OpRow, column: int = 0) -> TracePosition:
        """Return where a row leads; the column of lines leads to the line that called the op."""
        stage, line, op = row.key
        if column == LINE and line is not None:
            op = None
        return TracePosition(step=self._number, stage=stage, line=line, op=op)

    def document(self, place: TracePosition | None) -> Document:
        """Return the rows, of which one may be that of the current place."""
        now = self.key_of(place)

        def row(key: Hashable) -> Row:
            found = cast("OpRow", key)
            op = self.op_of(found)
            if op is not None:
                return self._op_row(found, op, is_now=found == now)
            return self._heading(found, is_now=found == now)

        return Document(
            titles=tuple([say(f"ops.title.{name}") for name in _TITLES]),
            keys=self._keys,
            below=self._below,
            row=row,
            headings=tuple({*self._keys, *self._below}),
        )

    def _op_row(self, key: OpRow, op: Op, *, is_now: bool) -> Row:
        note, tip = _note(op)
        where = user_line(op.location)
        share = (op.duration_ns or 0) / self._longest if self._longest else None
        fields = (
            Field(text=op_title(op), mono=True),
            self._items(op.inputs),
            self._items(op.outputs),
            Field(text=note, tip=tip and f"{note}\n{tip}", tone="warning"),
            Field(text=duration_text(op.duration_ns), share=share),
            Field(
                text=caller_text(where, key.stage, self.usual.path),
                tip="" if where is None else place_text(where),
            ),
        )
        text = describe_position(self._index, self.place_of(key))
        spoken = say("ops.current", row=text) if is_now else text
        return Row(fields=fields, spoken=spoken, is_now=is_now)

    def _items(self, items: tuple[Item, ...]) -> Field:
        text, unusual = _items(self._index, items, self.usual)
        tone: FieldTone = "accent" if unusual else "plain"
        return Field(text=text, tip=text.replace(", ", "\n"), tone=tone)

    def _heading(self, key: OpRow, *, is_now: bool) -> Row:
        text = ": ".join(filter(None, self._heading_texts(key)))
        spoken = say("ops.heading_current", row=text) if is_now else text
        field = Field(text=text, strong=key.kind == "stage")
        return Row(fields=(field,), spoken=spoken, is_now=is_now)

    def _heading_texts(self, key: OpRow) -> tuple[str, str]:
        part = self.parts.get(key.stage)
        if key.kind == "stage" or part is None:
            ops = 0 if part is None else len(part.ops) + part.more_ops
            hint = say_count("ops.op", ops) if ops else say("ops.no_ops_recorded")
            return stage_title(self._index, self._number, key.stage), hint
        if key.kind == "more":
            return say_count("ops.more", part.more_ops), ""
        op = part.ops[key.op]
        line = None if op.line is None else part.lines[op.line]
        location = user_line(op.location) if line is None else line.location
        assert location is not None
        code = source_line(self._index, location)
        if line is not None and line.last_line > location.line:
            code = f"{code} …"
        return location_title(location) if line is None else line_text(line), code
