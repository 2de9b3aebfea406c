"""Findings on saved tensors that were changed or freed, for which the trace is read back."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import contextmanager

from gradviz.analysis.freed_graph import find_freed_graph
from gradviz.analysis.index.trace_index import TraceIndex, index_reader
from gradviz.analysis.memory.saved_conflicts import (
    SavedTensorConflict,
    conflicts_at_node,
    silent_conflict,
)
from gradviz.model.graph import SavedSlot
from gradviz.model.source import Location
from gradviz.recorder.backward.silent_writes import ChangedSavedTensor
from gradviz.recorder.finding_reporter import FindingReporter
from gradviz.recorder.log import RecordLog
from gradviz.store.reader import open_trace
from gradviz.text.freed_graph import freed_graph_sentence, kept_graph_sentence
from gradviz.text.memory_versions import line_of_write
from gradviz.text.saved_conflicts import conflict_sentence, unknown_conflict_sentence

_MOST_STEPS = 20_000
"""In longer runs, the history of a tensor is only computed on request."""


class ConflictReporter:
    """Reader of the trace at the end of the run. Call with the log's lock held."""

    def __init__(self, log: RecordLog, reporter: FindingReporter) -> None:
        self._log = log
        self._reporter = reporter

    def explain_saved_tensors(
        self, refused: Sequence[tuple[int, int, str]], changed: Sequence[ChangedSavedTensor]
    ) -> None:
        """Report what changed saved tensors before backward used them, and where that was.

        Args:
            refused: Nodes that torch refused to execute: number, step in which it raised, and
                message.
            changed: Tensors that nodes have used in another state than they had saved.
        """
        refused = [each for each in refused if each[1] <= _MOST_STEPS]
        changed = [each for each in changed if each.step <= _MOST_STEPS]
        if not refused and not changed:
            return
        with self._index() as index:
            for node, step, message in refused:
                conflicts = conflicts_at_node(index, node, message, step)
                if self._report_kept_graph(index, conflicts, node, step):
                    continue
                for conflict in conflicts:
                    self._report_conflict(index, conflict, step)
                if not conflicts:
                    text = unknown_conflict_sentence(index, node)
                    self._reporter.report("saved_modified", text, "error", step=step, node=node)
            for each in changed:
                slot = _slot_of(index, each)
                silent = slot and silent_conflict(index, slot, each.used, each.step)
                if silent:
                    self._report_conflict(index, silent, each.step)

    @contextmanager
    def _index(self) -> Iterator[TraceIndex]:
        """What has been recorded so far."""
        self._log.flush_for_reader()
        with open_trace(self._log.path, live=True) as reader:
            yield index_reader(reader)

    def explain_freed_graph(self, node: int, step: int) -> None:
        """Report which pass has freed what a node had saved, and how this pass came to the node.

        Args:
            node: The node that torch refused to execute again.
            step: The step in which torch raised.
        """
        if step > _MOST_STEPS:
            return
        with self._index() as index:
            found = find_freed_graph(index, node, step)
            if found is not None:
                message, line = freed_graph_sentence(index, found, node)
                self._report_freed(message, line, node, step)

    def _report_freed(self, message: str, line: Location | None, node: int, step: int) -> None:
        self._reporter.report("freed_graph", message, "error", step=step, node=node, location=line)

    def _report_kept_graph(
        self, index: TraceIndex, conflicts: Sequence[SavedTensorConflict], node: int, step: int
    ) -> bool:
        """Report a state from an earlier iteration, whose graph an optimizer has changed."""
        clash = next((each for each in conflicts if each.write is not None), None)
        write = None if clash is None else clash.write
        if clash is None or write is None or write.kind != "optimizer":
            return False
        found = find_freed_graph(index, node, step)
        if found is None or found.how != "carried" or found.carried_by is None:
            return False
        self._report_freed(*kept_graph_sentence(index, found, clash, write), node, step)
        return True

    def _report_conflict(self, index: TraceIndex, conflict: SavedTensorConflict, step: int) -> None:
        write, node = conflict.write, conflict.slot.node
        line = conflict.before if write is None else line_of_write(index, write)
        text = conflict_sentence(index, conflict)
        self._reporter.report("saved_modified", text, "error", step=step, node=node, location=line)


def _slot_of(index: TraceIndex, changed: ChangedSavedTensor) -> SavedSlot | None:
    key = (changed.name, changed.saved)
    slots = index.saved.get(changed.node, ())
    return next((slot for slot in slots if (slot.item.name, slot.item.tensor) == key), None)
