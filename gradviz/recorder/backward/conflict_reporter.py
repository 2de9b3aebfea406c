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
    """Reports conflicts, for which it reads the run's trace. Call with the log's lock held."""

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
                    told = unknown_conflict_sentence(index, node), None
                    self._report_error("saved_modified", told, node, step)
            for each in changed:
                for slot in index.saved.get(each.node, ()):
                    if (slot.item.name, slot.item.tensor) == (each.name, each.saved):
                        silent = silent_conflict(index, slot, each.used, each.step)
                        if silent:
                            self._report_conflict(index, silent, each.step)
                        break

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
                self._report_error(
                    "freed_graph", freed_graph_sentence(index, found, node), node, step
                )

    def _report_error(
        self, code: str, told: tuple[str, Location | None], node: int, step: int
    ) -> None:
        message, line = told
        self._reporter.report(code, message, "error", step=step, node=node, location=line)

    def _report_kept_graph(
        self, index: TraceIndex, conflicts: Sequence[SavedTensorConflict], node: int, step: int
    ) -> bool:
        """Report a state from an earlier iteration, whose graph an optimizer has changed."""
        written = [(each, each.write) for each in conflicts if each.write is not None]
        if not written or written[0][1].kind != "optimizer":
            return False
        found = find_freed_graph(index, node, step)
        if found is None or found.how != "carried" or found.carried_by is None:
            return False
        told = kept_graph_sentence(index, found, *written[0])
        self._report_error("freed_graph", told, node, step)
        return True

    def _report_conflict(self, index: TraceIndex, conflict: SavedTensorConflict, step: int) -> None:
        write = conflict.write
        line = conflict.before if write is None else line_of_write(index, write)
        told = conflict_sentence(index, conflict), line
        self._report_error("saved_modified", told, conflict.slot.node, step)
