"""Check every invariant of a trace, those of steps and of what is inside them in other modules."""

from __future__ import annotations

import itertools
import math
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence, Set
from itertools import pairwise
from typing import Any

from gradviz.model.columns import (
    HasMetadataKeys,
    MetadataKey,
    TensorColumnsBuilder,
)
from gradviz.model.console import ConsoleText
from gradviz.model.diagnosis import BlockPlace
from gradviz.model.finding import Finding
from gradviz.model.function_call import FunctionCall
from gradviz.model.graph import Edge, ModuleCall, Node, SavedSlot
from gradviz.model.in_place_write import InPlaceWrite
from gradviz.model.jacobian_report import JacobianReport
from gradviz.model.source import source_lines
from gradviz.model.step_values import values_of
from gradviz.model.tensor import ITEM_SIZES, TensorRecord, shape_problem
from gradviz.model.trace import Trace
from gradviz.model.validation.inside_rules import InsideRules, KnownRecords
from gradviz.model.validation.step_rules import StepRules
from gradviz.model.what_if import ChangeRecord, WhatIfChange


def problems_of_change(change: WhatIfChange) -> Iterator[str]:
    """Inconsistencies of a change, each as a phrase that follows its name."""
    size = ITEM_SIZES.get(change.dtype)
    count = math.prod(change.shape)
    if size is None or min(change.shape, default=0) < 0:
        yield "has a dtype or shape that cannot be changed"
        return
    wanted = {"elements": len(change.positions), "all": count, "fill": 1, "scale": 0}[change.way]
    if not _has(change.bits, wanted * size):
        yield "does not have the right number of bits for its elements"
    if change.old_bits and not _has(change.old_bits, len(change.positions) * size):
        yield "does not have the right number of bits for its old elements"
    if any(not 0 <= position < count for position in change.positions):
        yield "changes an element that does not exist"


def _has(bits: str, count: int) -> bool:
    try:
        return len(bytes.fromhex(bits)) == count
    except ValueError:
        return False


# Readers keep these numbers in columns of int64.
_MOST = 1 << 63

_MOST_CODES = 1 << 12
"""Number of cached codes of tensors; an ordinary trace has fewer than a hundred."""

_PAUSE_EVERY = 1024


class TensorRules:
    """Checks all tensor records in order and collects the problems.

    Attributes:
        shapes: Shapes of the requested tensors, by number.
        columns: Columns of the tensors checked so far; valid only without problems.
        problems: One sentence each.
    """

    def __init__(self, wanted: Set[int], *, is_own: bool = False) -> None:
        """Prepare to check tensors.

        Args:
            wanted: Numbers of the tensors whose shapes are requested.
            is_own: Whether this process has written them, so that only their columns are of
                interest.
        """
        self.shapes: dict[int, tuple[int, ...]] = {}
        self._is_own = is_own
        self._wanted = wanted
        self.columns = TensorColumnsBuilder()
        self._codes: dict[object, int] = {}
        self._last = 0
        self.problems: list[str] = []

    def check_all(self, tensors: Sequence[TensorRecord], pause: Callable[[], None]) -> None:
        """Check tensors, one for each metadata; ``pause`` is called from time to time."""
        keys: Iterable[MetadataKey | None] = itertools.repeat(None, len(tensors))
        if isinstance(tensors, HasMetadataKeys):
            keys = tensors.metadata_keys()
        codes, add = self._codes, self.columns.add_similar
        for at, key in enumerate(keys):
            if at % _PAUSE_EVERY == 0:
                pause()
            if key is None:
                self.check(tensors[at])
                continue
            metadata, number, storage = key
            if metadata in codes and self._last < number and storage and number not in self._wanted:
                self._last = number
                add(number, storage, codes[metadata])
                continue
            code = self.check(tensors[at])
            if code is not None and len(codes) < _MOST_CODES:
                codes[metadata] = code

    def check(self, tensor: TensorRecord) -> int | None:
        """Check the next tensor.

        Returns:
            Its code for `add_similar`; None if it has problems.
        """
        if not self._last < tensor.id < _MOST:
            self.problems.append(f"ids of kind tensor do not ascend: {tensor.id}")
        self._last = tensor.id
        code = self.columns.add(tensor)
        # Only reports ask for shapes; a dict of all would be large in a long trace.
        if tensor.id in self._wanted:
            self.shapes[tensor.id] = tensor.shape
        if self._is_own or _is_fine(tensor):
            return code
        self.problems += _problems_of(tensor)
        return None


def _is_fine(tensor: TensorRecord) -> bool:
    """Whether a tensor passes the quick check for whole tensors; others need a full one."""
    return (
        tensor.content == "whole"
        and tensor.kept_shape == tensor.shape
        and not tensor.note
        and tensor.dtype in ITEM_SIZES
        and min(tensor.shape, default=0) >= 0
        and (tensor.storage is None or 0 < tensor.storage < _MOST)
        and not shape_problem(tensor.shape, tensor.dtype)
        and _has_places(tensor)
    )


def _problems_of(tensor: TensorRecord) -> Iterator[str]:
    name = f"tensor {tensor.id}"
    if any(size < 0 for size in (*tensor.shape, *tensor.kept_shape)):
        yield f"{name} has a negative size"
    kept = tensor.content in ("whole", "preview")
    if kept and tensor.dtype not in ITEM_SIZES:
        yield f"{name} keeps values of unknown dtype {tensor.dtype!r:.40}"
    if kept and (problem := shape_problem(tensor.kept_shape, tensor.dtype)):
        yield f"{name} keeps values, but NumPy does not allow its shape: {problem}"
    if tensor.content == "whole" and tensor.kept_shape != tensor.shape:
        yield f"{name} is whole but its kept elements have a different shape"
    if tensor.content == "preview" and not _is_sample(tensor):
        yield f"{name} has a preview that is not a sample of it"
    if kept and not _has_places(tensor):
        yield f"{name} does not say where in its memory its kept elements are"
    if tensor.content == "whole" and tensor.note:
        yield f"{name} is whole but has a note on why it is not"
    if tensor.storage is not None and not 0 < tensor.storage < _MOST:
        yield f"{name} has an invalid storage number"


def _has_places(tensor: TensorRecord) -> bool:
    """Whether the kept elements have addresses, which may be unknown as a whole."""
    if len(tensor.kept_steps) != len(tensor.kept_shape):
        return False
    if tensor.strides is None:
        return True
    if len(tensor.strides) != len(tensor.shape):
        return False
    sizes = zip(tensor.shape, tensor.strides, tensor.kept_steps, strict=False)
    farthest = sum(max(size, step) * stride for size, stride, step in sizes)
    return (farthest + (tensor.offset or 0)) * ITEM_SIZES.get(tensor.dtype, 1) < _MOST


def _is_sample(tensor: TensorRecord) -> bool:
    if not len(tensor.shape) == len(tensor.kept_shape) == len(tensor.kept_steps):
        return False
    sizes = zip(tensor.shape, tensor.kept_shape, tensor.kept_steps, strict=True)
    # Rounded up, because a slice with a step also takes an element from a shorter last stretch.
    return all(step > 0 and kept == -(-size // step) for size, kept, step in sizes)


ProblemSentences = Iterator[str]


def validate(trace: Trace) -> list[str]:
    """List the problems of a trace, one sentence each; empty if it is valid."""
    return TraceValidation(trace).problems


class TraceValidation:
    """A single walk over a trace, which creates each of its steps and tensors once.

    Attributes:
        steps: Rules of the steps, with the columns of all steps.
        tensors: Rules of the tensors, with the columns of all tensors.
        problems: What is wrong, one sentence each; empty for a valid trace.
    """

    def __init__(
        self, trace: Trace, pause: Callable[[], None] = lambda: None, *, is_own: bool = False
    ) -> None:
        """Walk over the trace.

        Args:
            trace: The trace.
            pause: Called from time to time, and may raise to stop.
            is_own: Whether this process has written it, so that only its columns are of interest.
        """
        # Tensors first, because steps refer to them; then steps, because insides refer to those.
        self.tensors = TensorRules(matrices_in(trace), is_own=is_own)
        self.tensors.check_all(trace.tensors, pause)
        known = known_records(trace, self.tensors)
        self.steps = StepRules(known)
        self.problems: list[str] = []
        if is_own:
            for step in trace.steps:
                self.steps.columns.add(step, [item for _, item in values_of(step)])
            return
        for at, step in enumerate(trace.steps):
            self.steps.check(step)
            if at % _PAUSE_EVERY == 0:
                pause()
        inside = InsideRules(known, self.steps.columns.kinds)
        for at, record in enumerate(trace.insides):
            inside.check(record)
            if at % _PAUSE_EVERY == 0:
                pause()
        others = [
            problem
            for table, rule in RULES.items()
            for record in getattr(trace, table)
            for problem in rule(record, known)
        ]
        ids = _ids_ascend(trace)
        rest = (*self.tensors.problems, *self.steps.problems, *inside.problems)
        self.problems = [*ids, *others, *rest]


def matrices_in(trace: Trace) -> set[int]:
    """Numbers of the tensors whose shapes the reports of a trace need."""
    return {
        matrix
        for report in trace.reports
        for block in (*report.blocks, *report.unfinished)
        for matrix in report.matrices_of(block)
    }


def known_records(trace: Trace, tensors: TensorRules) -> KnownRecords:
    """What records of a trace may refer to, after its tensors have been checked."""
    return KnownRecords(
        nodes={node.id for node in trace.nodes},
        edges={edge.id: edge.source for edge in trace.edges},
        calls={call.id for call in trace.calls},
        modules={module.id for module in trace.modules},
        tensors=set(tensors.columns.ids),
        matrices=tensors.shapes,
        lines={source.id: len(source_lines(source.text)) for source in trace.sources},
        steps=len(trace.steps),
    )


def _ids_ascend(trace: Trace) -> ProblemSentences:
    """Check that the ids of each kind are unique and ascending, from 1, within 63 bits."""
    kinds: dict[str, Sequence[Any]] = {
        "node": trace.nodes,
        "edge": trace.edges,
        "saved slot": trace.saved,
        "module call": trace.modules,
        "call": trace.calls,
        "source": trace.sources,
        "console text": trace.console,
        "finding": trace.findings,
        "report": trace.reports,
        "change": trace.changes,
        "write": trace.writes,
    }
    for kind, records in kinds.items():
        # With a limit at each end, the comparison of neighbors also checks the range.
        ids = (0, *[record.id for record in records], 1 << 63)
        if any(first >= second for first, second in pairwise(ids)):
            yield f"ids of kind {kind} are not ascending"


def _of_edge(edge: Edge, known: KnownRecords) -> ProblemSentences:
    if edge.source not in known.nodes or edge.target not in known.nodes:
        yield f"edge {edge.id} ends at a node that does not exist"
    if not (0 <= edge.slot < _MOST and 0 <= edge.target_slot < _MOST):
        yield f"edge {edge.id} has an invalid slot"


def _of_saved(saved: SavedSlot, known: KnownRecords) -> ProblemSentences:
    if saved.node not in known.nodes:
        yield f"saved slot {saved.id} belongs to a node that does not exist"
    yield from known.problems_of(f"saved slot {saved.id}", (saved.item,))


def _of_node(node: Node, known: KnownRecords) -> ProblemSentences:
    if node.call is not None and node.call not in known.calls:
        yield f"node {node.id} was created by a call that does not exist"
    if node.module_call is not None and node.module_call not in known.modules:
        yield f"node {node.id} was created in a module call that does not exist"
    if node.made_in is not None and node.made_by is None:
        yield f"node {node.id} was created in a step, but not by a node"
    if not known.has_step(node.made_in):
        yield f"node {node.id} was created in a step that does not exist"
    if node.made_by is not None and node.made_by not in known.nodes:
        yield f"node {node.id} was created by a node that does not exist"
    if node.variable is not None and node.variable not in known.tensors:
        yield f"node {node.id} belongs to a tensor that does not exist"


def _of_module(module: ModuleCall, known: KnownRecords) -> ProblemSentences:
    parent = module.parent
    if parent is not None and not (parent < module.id and parent in known.modules):
        yield f"module call {module.id} is nested in one that did not begin before it"


def _of_call(call: FunctionCall, known: KnownRecords) -> ProblemSentences:
    if call.node is not None and call.node not in known.nodes:
        yield f"call {call.id} created a node that does not exist"
    if not all(0 <= at < len(call.arguments) for at in call.dirty):
        yield f"call {call.id} has marked an argument that does not exist"
    if not all(0 <= at < len(call.outputs) for at in call.non_differentiable):
        yield f"call {call.id} has marked an output that does not exist"
    items = (*call.arguments, *call.outputs, *call.attributes)
    yield from known.problems_of(f"call {call.id}", items)
    lines = (call.forward, call.setup_context, call.backward)
    yield from known.problems_of_lines(f"call {call.id}", lines)


def _of_console(text: ConsoleText, known: KnownRecords) -> ProblemSentences:
    if not known.has_step(text.step):
        yield f"console text {text.id} belongs to step {text.step}, which does not exist"


def _of_finding(finding: Finding, known: KnownRecords) -> ProblemSentences:
    if not known.has_step(finding.step):
        yield f"finding {finding.id} belongs to a step that does not exist"
    if finding.node is not None and finding.node not in known.nodes:
        yield f"finding {finding.id} refers to a node that does not exist"
    if finding.argument is not None and finding.argument < 0:
        yield f"finding {finding.id} refers to a negative argument"
    yield from known.problems_of_lines(f"finding {finding.id}", (finding.location,))


def _of_report(report: JacobianReport, known: KnownRecords) -> ProblemSentences:
    if report.order not in (1, 2):
        yield f"report {report.id} has order {report.order}, but only 1 and 2 are possible"
    places = {block.place for block in report.blocks}
    diagnoses = [each for each in report.diagnoses if None not in each.place]
    if any(each.place not in places for each in diagnoses):
        yield f"report {report.id} has a diagnosis for a pair that it does not contain"
    curves = {each.place for each in report.curves} | {
        each.place for each in report.function_curves
    }
    if curves - places:
        yield f"report {report.id} has a curve for a pair that it does not contain"
    yield from _of_matrices(report, known)
    yield from _of_elements(report)
    for gradient in report.passes:
        lengths = {len(gradient.received), len(gradient.numerical)}
        lengths |= {len(gradient.reference)} if gradient.reference else set()
        if gradient.pass_id < 1 or lengths != {math.prod(gradient.shape)}:
            yield f"report {report.id} has a gradient of a pass that does not fit its shape"


def _of_matrices(report: JacobianReport, known: KnownRecords) -> ProblemSentences:
    for block in report.blocks:
        yield from known.problems_of_lines(f"report {report.id}", block.lines)
        for matrix in report.matrices_of(block):
            shape = known.matrices.get(matrix)
            if shape is None or len(shape) != 2 or shape[0] * shape[1] != block.count:
                yield f"report {report.id} has a matrix that does not fit its block"
    for block in report.unfinished:
        shapes = [known.matrices.get(each) for each in (block.numerical, block.analytical)]
        if any(each is None or len(each) != 2 for each in shapes):
            yield f"report {report.id} has an unfinished pair without its matrices"


def _of_elements(report: JacobianReport) -> ProblemSentences:
    """Problems of counts, elements and curves, which must be within their matrix."""
    shapes: dict[BlockPlace, tuple[int, int]] = {}
    for block in report.blocks:
        rows, columns = math.prod(block.input_shape), math.prod(block.output_shape)
        shapes[block.place] = rows, columns
        if max(block.wrong, block.forward_wrong, block.reference_wrong) > rows * columns:
            yield f"report {report.id} counts more wrong elements than a matrix has"
        worst = block.worst
        if worst is not None and not (
            _is_within((worst.row, worst.column), (rows, columns))
            and _is_within(worst.input_index, block.input_shape)
            and _is_within(worst.output_index, block.output_shape)
        ):
            yield f"report {report.id} has a worst element outside of its matrix"
    for curve in report.curves:
        place = shapes.get(curve.place, ())
        if place and not _is_within((curve.row, curve.column), place):
            yield f"report {report.id} has a curve of an element outside of its matrix"
        if len(set(map(len, (curve.steps, curve.errors, curve.one_sided, curve.floors)))) > 1:
            yield f"report {report.id} has a curve with unequal numbers of values"
    for sampled in report.function_curves:
        place = shapes.get(sampled.place, ())
        if place and not _is_within((sampled.row, sampled.column), place):
            yield f"report {report.id} has a function curve of an element outside of its matrix"
        values = (sampled.values, sampled.numerical, sampled.analytical)
        lengths = set(map(len, (sampled.points, *values)))
        if len(lengths) > 1 or sampled.at >= min(lengths):
            yield f"report {report.id} has a function curve with unequal numbers of values"


def _is_within(index: Sequence[int], shape: Sequence[int]) -> bool:
    return len(index) == len(shape) and all(
        0 <= at < size for at, size in zip(index, shape, strict=True)
    )


def _of_change(record: ChangeRecord, known: KnownRecords) -> ProblemSentences:
    for problem in problems_of_change(record.change):
        yield f"change {record.id} {problem}"
    if not known.has_step(record.step):
        yield f"change {record.id} was made in a step that does not exist"
    for tensor in (record.old, record.new):
        if tensor is not None and tensor not in known.tensors:
            yield f"change {record.id} refers to tensor {tensor}, which does not exist"


def _of_write(write: InPlaceWrite, known: KnownRecords) -> ProblemSentences:
    place = f"write {write.id}"
    if not (known.has_step(write.step) and known.has_step(write.after_step or None)):
        yield f"{place} belongs to a step that does not exist"
    if write.target.kind != "tensor":
        yield f"{place} has no target"
    yield from known.problems_of(place, (write.target,))
    yield from known.problems_of_lines(place, (write.location,))


RULES: Mapping[str, Callable[[Any, KnownRecords], ProblemSentences]] = {
    "edges": _of_edge,
    "saved": _of_saved,
    "nodes": _of_node,
    "modules": _of_module,
    "calls": _of_call,
    "console": _of_console,
    "findings": _of_finding,
    "reports": _of_report,
    "changes": _of_change,
    "writes": _of_write,
}
"""What is wrong with one record of a field of `Trace`, one sentence each."""
