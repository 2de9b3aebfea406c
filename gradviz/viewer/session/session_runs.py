"""The shown run, its baseline and the previous run, with their traces."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

from gradviz.analysis.index.trace_index import TraceIndex
from gradviz.model.inputs import Offer
from gradviz.store.reader import TraceReader
from gradviz.text.titles import origin_title
from gradviz.viewer.session.temporary_traces import TemporaryTraces


@dataclass(frozen=True, slots=True, kw_only=True)
class PreviousRun:
    """A previous run whose trace still exists.

    Attributes:
        path: The trace.
        title: The title of the run.
        offer: What was run; None for an opened file.
    """

    path: Path
    title: str
    offer: Offer | None


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Baseline:
    """A run without changes; its trace stays open while the changed run is shown.

    Attributes:
        reader: Its open trace.
        index: The trace with its indexes.
        offer: What was run.
    """

    reader: TraceReader
    index: TraceIndex
    offer: Offer


class SessionRuns:
    """The runs of a session whose traces are kept; it deletes all other temporary traces.

    Attributes:
        files: The temporary traces.
        reader: The shown trace.
        offer: What was run to record it; None for an opened file.
        baseline: The original run of a shown changed run.
        before: The run that was shown before.
    """

    def __init__(self, folder: Path) -> None:
        self.files = TemporaryTraces(folder, self._needed)
        self.reader: TraceReader | None = None
        self.offer: Offer | None = None
        self.baseline: Baseline | None = None
        self.before: PreviousRun | None = None
        self._outdated: list[TraceReader] = []
        self._replaced: list[TraceReader] = []
        self._dropped: PreviousRun | None = None

    def replace(
        self,
        reader: TraceReader,
        offer: Offer | None,
        index: TraceIndex | None,
        *,
        changed: bool,
        remembered: bool,
    ) -> Baseline | None:
        """Put another run in the place of the shown one; call `release` once it is shown.

        Args:
            reader: Its open trace.
            offer: What was run.
            index: The index of the run that was shown.
            changed: Whether it is a changed run, whose original stays open.
            remembered: Whether the run that was shown can become the previous one.

        Returns:
            The baseline of the run that is shown now, if it is a changed one.
        """
        old, kept = self.reader, self.baseline if changed else None
        if changed and kept is None and old is not None:
            # Keep the shown run open as the baseline.
            assert index is not None
            assert self.offer is not None
            kept = Baseline(reader=old, index=index, offer=self.offer)
            old = None
        given_up = self.baseline if kept is not self.baseline else None
        # A changed run is compared with its original, so it never becomes the previous run.
        if self.baseline is None and remembered and old is not None and index is not None:
            self._dropped, title = self.before, origin_title(index.trace.origin)
            self.before = PreviousRun(path=old.path, title=title, offer=self.offer)
        self.reader, self.offer = reader, offer
        readers = (old, None if given_up is None else given_up.reader)
        self._replaced = [each for each in readers if each is not None]
        return kept

    def release(self) -> None:
        """Close and delete the traces that no view needs anymore."""
        replaced, self._replaced = self._replaced, []
        for reader in replaced:
            self.close(reader)
        dropped, self._dropped = self._dropped, None
        if dropped is not None:
            self.files.drop(dropped.path)

    def close(self, reader: TraceReader | None) -> None:
        """Close a trace that is no longer shown, and delete it if it is temporary."""
        if reader is not None:
            reader.close()
            self._close_outdated(reader.path)
            self.files.drop(reader.path)

    def outdate(self, reader: TraceReader) -> None:
        """Keep a reader from before a check open until its trace is closed; some panels use it."""
        self._outdated.append(reader)

    def clear(self) -> None:
        """Close all traces and delete the temporary ones."""
        if self.reader is not None:
            self.reader.close()
            self._close_outdated(self.reader.path)
            self.reader = None
        self.files.clear()

    def _close_outdated(self, path: Path) -> None:
        """Close the readers of a trace that were opened before checks appended to it."""
        for reader in self._outdated:
            if reader.path == path:
                reader.close()
        self._outdated = [each for each in self._outdated if each.path != path]

    def _needed(self) -> list[Path]:
        """Return the shown trace, its baseline and the previous run's trace."""
        shown = [self.reader, None if self.baseline is None else self.baseline.reader]
        needed = [each.path for each in shown if each is not None]
        return needed + ([] if self.before is None else [self.before.path])
