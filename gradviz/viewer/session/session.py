"""Runs and checks offers, opens and saves traces, one activity at a time."""

from __future__ import annotations

from pathlib import Path
from typing import Literal

from msgspec import structs
from PySide6.QtCore import QObject, Signal

from gradviz.analysis.check_target import CheckTarget, check_target
from gradviz.analysis.index.trace_index import TraceIndex
from gradviz.analysis.position.trace_position import TracePosition
from gradviz.catalogue.optional_packages import missing_packages
from gradviz.host.job_ending import JobEnding
from gradviz.host.limits import Limits
from gradviz.model.check_settings import CheckSettings
from gradviz.model.inputs import Offer, with_given_values
from gradviz.model.settings.recording_scope import PassRange
from gradviz.model.what_if import WhatIfChange
from gradviz.protocol.messages import (
    CheckRequest,
    ChildRequest,
    Described,
    DescribeRequest,
    JobMessage,
    Ready,
    RunRequest,
    WorkProgress,
)
from gradviz.store.errors import TraceError
from gradviz.store.finalize import save_copy
from gradviz.store.shipped_run import unpack_first_run
from gradviz.viewer.app_services import AppServices
from gradviz.viewer.background import Background
from gradviz.viewer.session.host_bridge import Cancellable
from gradviz.viewer.session.preferred import limits_for_inputs, preferred_limits, preferred_run
from gradviz.viewer.session.session_runs import Baseline, PreviousRun, SessionRuns
from gradviz.viewer.session.temporary_traces import TemporaryTraces
from gradviz.viewer.session.trace_opening import OpenedTrace, open_appended, open_with_index
from gradviz.viewer.state import ViewerState

SessionActivity = Literal["idle", "describing", "running", "checking", "opening"]


class Session(QObject):
    """Owns one window's runs, its temporary files and the open trace.

    Attributes:
        bridge: The connection to child processes, also for runs that do not replace the shown one.
        is_broken: Whether the file that was described last has an error.
        is_outdated: Whether the last run failed before its first step: an earlier one is shown.
        activity: The current activity.
        opening: The run or check that has ended, but whose trace is not shown yet; None without
            one.

    Signals:
        activity_changed: The new `SessionActivity`.
        ready_changed: `Ready`: the devices and torch's version.
        progressed: `WorkProgress` of the current run or check.
        described: Path of a Python file, its tuple of `Offer`, and an error sentence or "".
        inputs_given: `Offer` with the inputs that its file has created for the run.
        inputs_made: `Offer` with the inputs that were made for it.
        ended: The `SessionActivity` that ended, and its `JobEnding`, if any.
        replaced: The `SessionActivity`, a run or check of a user's code, that was canceled for
            another one, and its `Offer`.
        check_started: The `CheckSettings` and the order of a check that has begun.
        saved: Path of the file to which a trace was saved, and the trace.
        failed: A sentence about what failed.
        offer_changed: The `Offer` whose trace is shown; None for an opened file.
        baseline_changed: The shown changed run's `Baseline`, or None; before ``offer_changed``.
        changed_run_shown: The `Baseline` of a changed run just shown; after ``offer_changed``.
    """

    activity_changed = Signal(str)
    ready_changed = Signal(object)
    progressed = Signal(object)
    described = Signal(str, object, str)
    inputs_given = Signal(object)
    inputs_made = Signal(object)
    ended = Signal(str, object)
    replaced = Signal(str, object)
    saved = Signal(str, object)
    failed = Signal(str)
    check_started = Signal(object, int)
    offer_changed = Signal(object)
    baseline_changed = Signal(object)
    changed_run_shown = Signal(object)

    def __init__(
        self,
        state: ViewerState,
        background: Background,
        services: AppServices,
        limits: Limits | None = None,
        parent: QObject | None = None,
    ) -> None:
        super().__init__(parent)
        self._state = state
        self._background = background
        self.bridge = bridge = services.host()
        self._limits = limits
        self._runs = SessionRuns(services.folder.make_window_folder())
        self.activity: SessionActivity = "idle"
        self._job: tuple[int, Cancellable] | None = None
        self._request: ChildRequest | None = None
        self._begun: RunRequest | None = None
        self.opening: Offer | None = None
        self._opening_path: Path | None = None
        self._cancelled_runs: dict[int, Path] = {}
        self._shipped: Path | None = None
        self._ready = bridge.last_ready
        self._pending: JobEnding | None = None
        self.is_outdated = False
        self.is_broken = False
        bridge.ready.connect(self._on_bridge_ready)
        bridge.messaged.connect(self._on_bridge_messaged)
        bridge.ended.connect(self._on_bridge_ended)

    @property
    def ready(self) -> Ready | None:
        """The last child's report that it is ready; None before the first one."""
        return self._ready

    @property
    def offer(self) -> Offer | None:
        """What was run to record the shown trace; None for an opened file."""
        return self._runs.offer

    @property
    def checked(self) -> CheckTarget:
        """What a check tests: the shown run, or the Function at the shown step of a script."""
        return check_target(self._runs.offer, self._state.index, self._state.number)

    @property
    def running(self) -> Offer | None:
        """What a child process runs at the moment; None if it runs nothing."""
        return self._request.offer if isinstance(self._request, RunRequest) else None

    @property
    def checking(self) -> Offer | None:
        """What a child process checks at the moment; None if it checks nothing."""
        return self._request.offer if isinstance(self._request, CheckRequest) else None

    @property
    def trace_path(self) -> Path | None:
        """The file of the shown trace; None if there is none."""
        return None if self._runs.reader is None else self._runs.reader.path

    @property
    def shows_shipped(self) -> bool:
        """Whether the shown run was recorded when gradviz was built, not on this machine."""
        return self._runs.reader is not None and self._runs.reader.path == self._shipped

    @property
    def written_path(self) -> Path | None:
        """The trace to which a running run or check writes; None if there is none."""
        request = self._request
        return Path(request.trace) if isinstance(request, RunRequest | CheckRequest) else None

    @property
    def baseline(self) -> Baseline | None:
        """The original run of the shown changed run; None if nothing was changed."""
        return self._runs.baseline

    @property
    def before(self) -> PreviousRun | None:
        """The run that was shown before this one; None if there is none."""
        return self._runs.before

    def limits_of(self, offer: Offer | None = None) -> Limits:
        """The time and memory limits of a child process, such as one that runs an offer."""
        return self._limits or preferred_limits(self._state.preferences, offer)

    @property
    def files(self) -> TemporaryTraces:
        """The temporary traces of this window."""
        return self._runs.files

    def run_request(self, offer: Offer, changes: tuple[WhatIfChange, ...] = ()) -> RunRequest:
        """The request for a run, or one with changes to the shown run, to a new trace."""
        return preferred_run(self._state, offer, self._runs.files.new_path(), changes)

    def run(
        self, offer: Offer, changes: tuple[WhatIfChange, ...] = (), passes: PassRange | None = None
    ) -> None:
        """Run and record an offer, canceling the current activity.

        Args:
            offer: What to run.
            changes: Values to change; the shown run, or its own baseline, becomes the baseline.
            passes: Which passes to record; None for those that are preferred.
        """
        request, begun = self.run_request(offer, changes), self._begun
        request = request if passes is None else structs.replace(request, passes=passes)
        if begun is None or begun != structs.replace(request, trace=begun.trace):
            self._ask(request, "running", self.limits_of(offer))
            return
        self._request, self._begun = begun, None
        self._set_activity("running")

    def check(self, settings: CheckSettings, order: int = 1) -> None:
        """Compare the Jacobians of the shown run, and store the report in its trace.

        Args:
            settings: Step size, tolerances and scope.
            order: 1 for the function, 2 for its backward.
        """
        if self._runs.baseline is not None:
            self.failed.emit(self.tr("Only the original run can be checked. Go back to it first."))
            return
        checked = self.checked
        if checked.offer is None or self._runs.reader is None:
            self.failed.emit(checked.problem or self.tr("Run a scene or a file first."))
            return
        request = CheckRequest(
            offer=checked.offer,
            trace=str(self._runs.reader.path),
            settings=structs.replace(settings, auto_cast=True),
            order=order,
        )
        self._ask(request, "checking")
        self.check_started.emit(settings, order)

    def describe(self, request: DescribeRequest, likely: Offer | None = None) -> None:
        """Ask a child process for the offers of a Python file.

        Args:
            request: What is asked.
            likely: What `run` is likely to ask next; the same child then begins with it.
        """
        if likely is not None:
            request = structs.replace(request, then=self.run_request(likely))
        self._ask(request, "describing")

    def make_inputs(self, offer: Offer) -> None:
        """Ask for inputs with which an offer of a file that declares none runs, and its backward.

        A child that already makes them goes on.
        """
        request = DescribeRequest(path=offer.subject.path, made_for=(offer.subject.name,))
        if self._request != request:
            self._ask(request, "describing", limits_for_inputs(self.limits_of()))

    def open(self, path: Path, offer: Offer | None = None) -> None:
        """Open and show a trace file, or a run of an offer that this window has recorded to it."""
        self._cancel_for_next()
        self._open(path, offer)

    def show_shipped(self, offer: Offer) -> None:
        """Show the run of an offer that ships with gradviz."""
        self._shipped = path = self._runs.files.new_path()
        unpack_first_run(path)
        self.open(path, offer)

    def show_repeated(self, opened: OpenedTrace, offer: Offer) -> None:
        """Show a changed run of an offer, made beside the shown one, at the place shown now."""
        self._cancel_for_next()
        self._set_activity("opening")
        self._show(opened, offer, changed=True, place=self._state.place)

    def back_to_baseline(self, place: TracePosition | None = None) -> None:
        """Show the original run at a place, or its first step, and discard the changed one."""
        back = self._runs.baseline
        if back is None:
            return
        self._cancel_for_next()
        runs = self._runs
        changed, runs.reader, runs.offer = runs.reader, back.reader, back.offer
        self._set_baseline(None)
        self._state.show(back.reader, back.index, place)
        self.offer_changed.emit(back.offer)
        self._runs.close(changed)

    def cancel(self) -> None:
        """Cancel the current activity; a child's end is reported as usual."""
        if self._job is not None:
            self._job[1].cancel()
        elif self.activity != "idle":
            self._cancel_silently()

    def save(self, target: Path) -> None:
        """Save the shown trace to a single file, in the background."""
        if self._runs.reader is None:
            return
        source = self._runs.reader.path
        self._background.start(
            lambda _: save_copy(source, target),
            lambda _: self.saved.emit(str(target), source),
            lambda error: self.failed.emit(str(error)),
            expected=(TraceError,),
        )

    def close(self) -> None:
        """Cancel the current activity, close the trace and delete the temporary files."""
        self._cancel_silently()
        # Before the trace, which its jobs may be reading.
        self._background.close()
        # Panels must let go of the trace before its file is closed.
        self._state.show(None)
        if (dropped := self._runs.baseline) is not None:
            self._set_baseline(None)
            self._runs.close(dropped.reader)
        self._runs.clear()

    def _ask(
        self, request: ChildRequest, activity: SessionActivity, limits: Limits | None = None
    ) -> None:
        self._cancel_for_next()
        self._request = request
        self._job = self.bridge.start(request, limits or self.limits_of())
        self._set_activity(activity)

    def _cancel_for_next(self) -> None:
        """Cancel the current activity because another one starts, and say so."""
        activity, request = self.activity, self._request
        self._cancel_silently()
        offer = request.offer if isinstance(request, RunRequest | CheckRequest) else None
        if offer is not None and not offer.subject.scene:
            self.replaced.emit(activity, offer)

    def _cancel_silently(self) -> None:
        """Cancel the current activity without reporting its end."""
        job, request = self._job, self._request
        self._job = self._request = self._begun = self._pending = self.opening = None
        if job is not None:
            job[1].cancel()
            work = request.then if isinstance(request, DescribeRequest) else request
            if isinstance(work, RunRequest):
                self._cancelled_runs[job[0]] = Path(work.trace)
        self._background.cancel("open")
        self._drop_unopened()
        self._set_activity("idle")

    def _drop_unopened(self) -> None:
        """Delete the trace whose opening was canceled or failed."""
        path, self._opening_path = self._opening_path, None
        if path is not None:
            self._runs.files.drop(path)

    def _set_activity(self, activity: SessionActivity) -> None:
        if activity != self.activity:
            self.activity = activity
            self.activity_changed.emit(activity)

    def _open(self, path: Path, offer: Offer | None, *, changed: bool = False) -> None:
        self._set_activity("opening")
        live, ending = self._runs.files.owns(path), self._pending
        self._opening_path = path
        self._background.start(
            lambda job: open_with_index(path, job, live=live, ending=ending),
            lambda opened: self._show(opened, offer, changed=changed),
            self._on_trace_failed,
            lane="open",
            expected=(TraceError,),
        )

    def _read_reports(self) -> None:
        """Read what a check has appended to the shown trace, in the background."""
        old, index = self._runs.reader, self._state.index
        assert old is not None
        assert index is not None
        live = self._runs.files.owns(old.path)
        self._background.start(
            lambda _: open_appended(old.path, index, live=live),
            self._show_reports,
            self._on_trace_failed,
            lane="open",
            expected=(TraceError,),
        )

    def _show_reports(self, opened: OpenedTrace) -> None:
        old, self._runs.reader = self._runs.reader, opened[0]
        self._state.show_appended(*opened)
        if old is not None:
            self._runs.outdate(old)
        self._announce("checking")

    def show_grown(self, opened: OpenedTrace) -> None:
        """Show the file of the shown trace, opened again because another process wrote to it."""
        old, self._runs.reader = self._runs.reader, opened[0]
        self._state.show_grown(*opened)
        self._runs.close(old)

    def _show(
        self,
        opened: OpenedTrace,
        offer: Offer | None,
        *,
        changed: bool,
        place: TracePosition | None = None,
    ) -> None:
        reader, index = opened
        self._opening_path = None
        self.is_outdated = self._has_failed_early(index)
        if self.is_outdated:
            self._runs.close(reader)
            self._announce("running")
            return
        shown, remembered = self._state.index, not self.shows_shipped
        baseline = self._runs.replace(reader, offer, shown, changed=changed, remembered=remembered)
        # From any thread: receivers get the signal in the GUI thread.
        reader.on_damage = self.failed.emit
        self._state.show(reader, index, place)
        self._set_baseline(baseline)
        self.offer_changed.emit(offer)
        if baseline is not None:
            self.changed_run_shown.emit(baseline)
        # Only now: until these signals, panels still read from the old trace.
        self._runs.release()
        self._announce("running" if offer is not None else "opening")

    def _has_failed_early(self, index: TraceIndex) -> bool:
        """Whether a run failed before its first step, and another run is shown instead."""
        failed = self._pending is not None and self._pending.kind != "finished"
        return failed and not index.trace.steps and self._runs.reader is not None

    def _set_baseline(self, baseline: Baseline | None) -> None:
        if baseline is not self._runs.baseline:
            self._runs.baseline = baseline
            self.baseline_changed.emit(baseline)

    def _announce(self, activity: SessionActivity) -> None:
        ending, self._pending, self.opening = self._pending, None, None
        self._set_activity("idle")
        self.ended.emit(activity, ending)

    def _on_bridge_ready(self, ready: Ready) -> None:
        self._ready = ready
        self.ready_changed.emit(ready)
        # Without torch, traces can still be viewed; a run says what is missing.
        if ready.problem and not missing_packages("record"):
            self.failed.emit(ready.problem)

    def _on_bridge_messaged(self, number: int, message: JobMessage) -> None:
        # Messages of a canceled job can still arrive, and others use the bridge, too.
        if self._job is None or number != self._job[0]:
            return
        if isinstance(message, WorkProgress):
            self.progressed.emit(message)
        elif not isinstance(message, Described):
            return
        elif isinstance(self._request, RunRequest):
            (given,) = message.offers
            offer = with_given_values(self._request.offer, given.inputs)
            self._request = structs.replace(self._request, offer=offer)
            self.inputs_given.emit(given)
        elif isinstance(self._request, DescribeRequest) and self._request.made_for:
            # Why there are none is the end of the job.
            for offer in message.offers:
                self.inputs_made.emit(offer)
        elif isinstance(self._request, DescribeRequest):
            path, offers = self._request.path, message.offers
            begun = self._request.next_work(message)
            self._begun = begun if isinstance(begun, RunRequest) else None
            if self._request.makes_inputs and offers and not offers[0].is_declared:
                self._request = DescribeRequest(path=path, made_for=(offers[0].subject.name,))
                self._job[1].restart_clock(limits_for_inputs(self.limits_of()))
            self.is_broken = message.is_broken
            self.described.emit(path, offers, message.problem)
            if self._begun is not None:
                # Nobody has asked for it.
                self._cancel_silently()

    def _on_bridge_ended(self, number: int, ending: JobEnding) -> None:
        if number in self._cancelled_runs:
            self._runs.files.drop(self._cancelled_runs.pop(number))
        if self._job is None or number != self._job[0]:
            return
        ended_request, self._job, self._request = self._request, None, None
        # Announced when the trace is shown, so that messages match what is visible.
        self._pending = ending
        if isinstance(ended_request, RunRequest | CheckRequest):
            self.opening = ended_request.offer
        if isinstance(ended_request, RunRequest):
            path = Path(ended_request.trace)
            if path.exists():
                self._open(path, ended_request.offer, changed=bool(ended_request.changes))
                return
            # What it has left, if it was killed while it created its trace.
            self._runs.files.drop(path)
            self._announce("running")
        elif isinstance(ended_request, CheckRequest):
            self._read_reports()
        else:
            self._announce("describing")

    def _on_trace_failed(self, error: Exception) -> None:
        ending, self._pending, self.opening = self._pending, None, None
        self._drop_unopened()
        self._set_activity("idle")
        # Why a run failed, and not what that has left of its trace.
        self.failed.emit((ending and ending.sentence) or str(error))
