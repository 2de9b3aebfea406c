"""What the window does: run an offer, check it, open files, save; one thing at a time."""

from __future__ import annotations

from pathlib import Path
from typing import Literal

from PySide6.QtCore import QObject, Signal, Slot

from gradviz.host.ending import Ending
from gradviz.host.limits import Limits, part_of_memory
from gradviz.model.changes import Change
from gradviz.model.check_settings import CheckSettings
from gradviz.model.inputs import Offer
from gradviz.protocol.messages import Check, Describe, Described, Progress, Ready, Request, Run
from gradviz.store.errors import TraceError
from gradviz.store.reader import TraceReader
from gradviz.store.seal import save_copy
from gradviz.viewer.background import Background
from gradviz.viewer.commons import Commons
from gradviz.viewer.running.baseline import Baseline
from gradviz.viewer.running.before import Before
from gradviz.viewer.running.host_bridge import Cancellable, HostBridge
from gradviz.viewer.running.opening import Opened, open_with_index
from gradviz.viewer.running.run_files import RunFiles
from gradviz.viewer.state import ViewerState

Activity = Literal["idle", "describing", "running", "checking", "opening"]


class Session(QObject):
    """Owns one window's runs, its temporary files and the open trace.

    Signals:
        activity_changed: The `Activity`.
        ready_changed: `Ready`: devices and torch's version.
        progressed: `Progress` of the run or check under way.
        described: Path of a Python file, its tuple of `Offer`, and a sentence or nothing.
        ended: `Activity` that ended, and how it ended: one sentence, empty if all went well.
        saved: Path of the file that the trace was saved to.
        failed: A sentence on what could not be done.
        offer_changed: The `Offer` whose trace is shown; None for an opened file.
        baseline_changed: The `Baseline` of the changed run that is shown, or None; comes before
            ``offer_changed``.
        changed_run_shown: The `Baseline` of a changed run that has just been shown; comes after
            ``offer_changed``.
    """

    activity_changed = Signal(str)
    ready_changed = Signal(object)
    progressed = Signal(object)
    described = Signal(str, object, str)
    ended = Signal(str, object)
    saved = Signal(str)
    failed = Signal(str)
    offer_changed = Signal(object)
    baseline_changed = Signal(object)
    changed_run_shown = Signal(object)

    def __init__(
        self,
        state: ViewerState,
        background: Background,
        commons: Commons,
        limits: Limits | None = None,
        parent: QObject | None = None,
    ) -> None:
        super().__init__(parent)
        self._state = state
        self._background = background
        self._bridge = bridge = commons.host()
        self._limits = limits
        self._files = RunFiles(commons.folder.room(), self._needed)
        self._activity: Activity = "idle"
        self._job: tuple[int, Cancellable] | None = None
        self._asked: Request | None = None
        self._reader: TraceReader | None = None
        self._outdated: list[TraceReader] = []
        self._offer: Offer | None = None
        self._baseline: Baseline | None = None
        self._before: Before | None = None
        self._ready = bridge.last_ready
        self._pending: Ending | None = None
        bridge.ready.connect(self._on_bridge_ready)
        bridge.messaged.connect(self._on_bridge_messaged)
        bridge.ended.connect(self._on_bridge_ended)

    @property
    def activity(self) -> Activity:
        """What is under way."""
        return self._activity

    @property
    def ready(self) -> Ready | None:
        """What the last warm child said of itself; None before the first is warm."""
        return self._ready

    @property
    def offer(self) -> Offer | None:
        """What made the trace that is shown; None for an opened file."""
        return self._offer

    @property
    def trace_path(self) -> Path | None:
        """The file of the trace that is shown."""
        return None if self._reader is None else self._reader.path

    @property
    def checked_path(self) -> Path | None:
        """The file into which a check writes at present; None where none is under way."""
        return Path(self._asked.trace) if isinstance(self._asked, Check) else None

    @property
    def baseline(self) -> Baseline | None:
        """The run that the shown one is compared with; None where nothing was changed."""
        return self._baseline

    @property
    def before(self) -> Before | None:
        """The run that was shown before this one, as long as its file is there."""
        return self._before

    @property
    def bridge(self) -> HostBridge:
        """The way to the children, for runs that are not shown as the window's own."""
        return self._bridge

    @property
    def limits(self) -> Limits:
        """What a child may use."""
        return self._limits or self._preferred_limits()

    @property
    def files(self) -> RunFiles:
        """Where this window's runs are recorded."""
        return self._files

    def run(self, offer: Offer, changes: tuple[Change, ...] = ()) -> None:
        """Runs and records something; what is under way is cancelled for it.

        Args:
            offer: What to run.
            changes: Values to change in it. What is shown now, or its baseline, is the baseline.
        """
        trace = self._files.new_path()
        preferences = self._state.preferences
        request = Run(
            offer=offer,
            trace=str(trace),
            level=preferences.recording_level,
            changes=changes,
            budget_bytes=preferences.budget_mib << 20,
        )
        self._ask(request, "running")

    def check(self, settings: CheckSettings, order: int = 1) -> None:
        """Compares the Jacobians of what is shown; the report goes into its trace.

        Args:
            settings: Step, tolerances and what is looked at.
            order: 1 for the function, 2 for its backward.
        """
        if self._baseline is not None:
            self.failed.emit(self.tr("Go back to the original first: only that can be checked."))
            return
        if self._offer is None or self._reader is None:
            self.failed.emit(self.tr("Run a scene or a file first: only a run can be checked."))
            return
        request = Check(
            offer=self._offer,
            trace=str(self._reader.path),
            settings=settings,
            order=order,
        )
        self._ask(request, "checking")

    def describe(self, path: Path) -> None:
        """Asks a child what a Python file offers."""
        self._ask(Describe(path=str(path)), "describing")

    def open(self, path: Path) -> None:
        """Shows a trace file."""
        self.cancel_silently()
        self._open(path, None)

    def back_to_baseline(self) -> None:
        """Shows the run without changes again, and lets go of the changed one."""
        back = self._baseline
        if back is None:
            return
        self.cancel_silently()
        changed, self._reader, self._offer = self._reader, back.reader, back.offer
        self._set_baseline(None)
        self._state.show(back.reader, back.index)
        self.offer_changed.emit(back.offer)
        self._let_go(changed)

    def cancel(self) -> None:
        """Ends what is under way; the ending of a child is announced as always."""
        if self._job is not None:
            self._job[1].cancel()
        elif self._activity != "idle":
            self.cancel_silently()

    def cancel_silently(self) -> None:
        """Ends what is under way and forgets it."""
        if self._job is not None:
            self._job[1].cancel()
        self._job, self._asked = None, None
        self._background.cancel("open")
        self._set_activity("idle")

    def save(self, target: Path) -> None:
        """Writes the trace that is shown into one file, in the background."""
        if self._reader is None:
            return
        source = self._reader.path
        self._background.start(
            lambda _: save_copy(source, target),
            lambda _: self.saved.emit(str(target)),
            self._on_trace_failed,
            expected=(TraceError,),
        )

    def close(self) -> None:
        """Ends what is under way, closes the trace and removes the temporary files."""
        self.cancel_silently()
        self._background.close()
        self._state.show(None)
        self._drop_baseline()
        if self._reader is not None:
            self._reader.close()
            self._close_outdated(self._reader.path)
            self._reader = None
        self._files.clear()

    def _ask(self, request: Request, activity: Activity) -> None:
        self.cancel_silently()
        self._asked = request
        self._job = self._bridge.start(request, self.limits)
        self._set_activity(activity)

    def _preferred_limits(self) -> Limits:
        preferences = self._state.preferences
        memory = part_of_memory(preferences.memory_percent)
        return Limits(time_s=preferences.time_limit_s or None, memory_bytes=memory)

    def _set_activity(self, activity: Activity) -> None:
        if activity != self._activity:
            self._activity = activity
            self.activity_changed.emit(activity)

    def _open(self, path: Path, offer: Offer | None, *, changed: bool = False) -> None:
        self._set_activity("opening")
        live = self._files.owns(path)
        self._background.start(
            lambda job: open_with_index(path, job, live=live),
            lambda opened: self._show(opened, offer, changed=changed),
            self._on_trace_failed,
            lane="open",
            expected=(TraceError,),
        )

    def _reload(self, path: Path) -> None:
        """Opens the trace again: an index of a long run takes longer than the window may stall."""
        self._background.start(
            lambda job: open_with_index(path, job, live=self._files.owns(path)),
            self._take_reports,
            self._on_trace_failed,
            lane="open",
            expected=(TraceError,),
        )

    def _take_reports(self, opened: Opened) -> None:
        old, (self._reader, index) = self._reader, opened
        self._state.reload(self._reader, index)
        if old is not None:
            # Panels that show nothing of reports go on with the index that they have.
            self._outdated.append(old)
        self._announce("checking")

    def _show(self, opened: Opened, offer: Offer | None, *, changed: bool) -> None:
        reader, index = opened
        old: TraceReader | None = self._reader
        kept = self._baseline if changed else None
        if changed and kept is None and old is not None:
            # What is shown now stays open, to be compared with.
            assert self._state.index is not None
            assert self._offer is not None
            kept = Baseline(reader=old, index=self._state.index, offer=self._offer)
            old = None
        dropped = None if kept is self._baseline else self._baseline
        # A changed run stands beside its original; it is never the run before.
        gone = None if self._baseline is not None else self._keep_before(old, self._offer)
        self._reader, self._offer = reader, offer
        self._state.show(reader, index)
        self._set_baseline(kept)
        self.offer_changed.emit(offer)
        if kept is not None:
            self.changed_run_shown.emit(kept)
        self._let_go(old)
        if gone is not None:
            self._files.drop(gone.path)
        self._let_go(None if dropped is None else dropped.reader)
        self._announce("running" if offer is not None else "opening")

    def _set_baseline(self, baseline: Baseline | None) -> None:
        if baseline is not self._baseline:
            self._baseline = baseline
            self.baseline_changed.emit(baseline)

    def _drop_baseline(self) -> None:
        dropped = self._baseline
        self._set_baseline(None)
        self._let_go(None if dropped is None else dropped.reader)

    def _let_go(self, reader: TraceReader | None) -> None:
        """Closes a trace that is not shown any more, and removes it where it is our own."""
        if reader is not None:
            reader.close()
            self._close_outdated(reader.path)
            self._files.drop(reader.path)

    def _close_outdated(self, path: Path) -> None:
        """Closes what was opened of a trace before checks appended to it."""
        for reader in self._outdated:
            if reader.path == path:
                reader.close()
        self._outdated = [each for each in self._outdated if each.path != path]

    def _keep_before(self, old: TraceReader | None, offer: Offer | None) -> Before | None:
        """Remembers the run that is shown no more; returns the one that was remembered."""
        index = self._state.index
        if old is None or index is None:
            return None
        gone, title = self._before, index.trace.origin.title
        self._before = Before(path=old.path, title=title, offer=offer)
        return gone

    def _needed(self) -> list[Path]:
        """The traces that are shown, compared with, or were shown before."""
        shown = [self._reader, None if self._baseline is None else self._baseline.reader]
        needed = [each.path for each in shown if each is not None]
        return needed + ([] if self._before is None else [self._before.path])

    def _announce(self, activity: Activity) -> None:
        ending, self._pending = self._pending, None
        self._set_activity("idle")
        self.ended.emit(activity, ending)

    @Slot(object)
    def _on_bridge_ready(self, ready: Ready) -> None:
        self._ready = ready
        self.ready_changed.emit(ready)
        if ready.problem:
            self.failed.emit(ready.problem)

    @Slot(object, object)
    def _on_bridge_messaged(self, number: int, message: Described | Progress) -> None:
        if self._job is None or number != self._job[0]:
            return
        if isinstance(message, Progress):
            self.progressed.emit(message)
        elif isinstance(self._asked, Describe):
            self.described.emit(self._asked.path, message.offers, message.problem)

    @Slot(object, object)
    def _on_bridge_ended(self, number: int, ending: Ending) -> None:
        if self._job is None or number != self._job[0]:
            return
        asked, self._job, self._asked = self._asked, None, None
        self._pending = ending
        if isinstance(asked, Run) and Path(asked.trace).exists():
            self._open(Path(asked.trace), asked.offer, changed=bool(asked.changes))
        elif isinstance(asked, Check):
            self._reload(Path(asked.trace))
        else:
            self._announce("running" if isinstance(asked, Run) else "describing")

    def _on_trace_failed(self, error: Exception) -> None:
        self._pending = None
        self._set_activity("idle")
        self.failed.emit(str(error))
