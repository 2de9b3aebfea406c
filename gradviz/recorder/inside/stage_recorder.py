"""Stages inside of steps: the one each thread is in, and the records made of them."""

from __future__ import annotations

from gradviz.catalogue.messages import say
from gradviz.model.inside import Inside, RecordingLevel, StageKind, records_ops
from gradviz.recorder.inside.open_stage import OpenStage
from gradviz.recorder.log import RecordLog
from gradviz.recorder.thread_state import ThreadStates

_FREE_NS = 100_000_000
_SHARE = 1 / 20


class StageRecorder:
    """Opens and closes stages, except at the nodes level. Call with the log's lock held.

    Each op and line belongs to the innermost stage of its thread, see `current`. An inner call of a
    Function therefore has its own stage, and so does a node of an inner pass. Calls that a
    Function's method makes while they can create nodes, as in a backward with
    ``create_graph=True``, stay in the stage of that method; their own steps contain nothing.

    Between nodes the engine sums gradients. This belongs to no stage, see `OpDispatchMode`.
    """

    def __init__(
        self,
        log: RecordLog,
        thread_states: ThreadStates,
        level: RecordingLevel,
    ) -> None:
        self.level = level
        self._records_ops = records_ops(level)
        self._log = log
        self._thread_states = thread_states
        self._parts: dict[int, list[OpenStage]] = {}
        self._unwritten: set[int] = set()
        self._spent_ns = 0
        if level != "nodes":
            log.add_flush_hook(self._put_unwritten)

    def current(self) -> OpenStage | None:
        """The innermost stage of the calling thread; None outside of all stages."""
        parts = self._thread_states.current().parts
        return parts[-1] if parts else None

    def begin(
        self, stage: StageKind, step: int | None, *, runs_user_code: bool = False
    ) -> OpenStage | None:
        """Open a stage in the calling thread; None if stages are not recorded.

        Args:
            stage: Kind of stage.
            step: Number of its step; None if that is only known later, see `assign_step`.
            runs_user_code: Whether the user's own method runs in it.
        """
        # Without ops, only the user's own methods have something inside.
        if self.level == "nodes" or not (self._records_ops or runs_user_code):
            return None
        known = self._parts.setdefault(step, []) if step is not None else []
        # No generator, in whose end Python drops the exceptions of signals.
        for part in known:
            if part.stage == stage:
                break
        else:
            thread = self._thread_states.thread_name()
            part = OpenStage(stage, step, self._log.now(), thread, runs_user_code=runs_user_code)
            known.append(part)
        part.duration = 0
        self._thread_states.current().parts.append(part)
        return part

    def end(self, part: OpenStage | None, *, finished: bool = True) -> None:
        """Close a stage, together with all stages still open inside it."""
        if part is None or part.duration:
            return
        part.duration = self._log.now() - part.started
        part.finished = finished
        self._leave(part)
        self.mark_changed(part)

    def _leave(self, part: OpenStage) -> None:
        parts = self._thread_states.current().parts
        if part not in parts:
            # It was opened by another thread.
            for state in self._thread_states.threads.values():
                if part in state.parts:
                    parts = state.parts
        if part in parts:
            del parts[parts.index(part) :]

    def assign_step(self, part: OpenStage | None, step: int) -> None:
        """Assign a stage that has ended to its step."""
        if part is not None:
            part.step = step
            self._parts.setdefault(step, []).append(part)

    def merge_into_outer(self, part: OpenStage | None) -> None:
        """Move the ops of a stage that belongs to no step to the enclosing stage."""
        outer = self.current()
        if part is None or outer is None:
            return
        outer.ops += part.ops
        outer.more_ops += part.more_ops
        self.mark_changed(outer)

    def report_ops_left_out(self, step: int, node: int) -> None:
        """Report that the ops of a node are not recorded."""
        self._log.find("ops_left_out", say("recording.no_ops"), step=step, node=node)

    def mark_changed(self, part: OpenStage) -> None:
        """Write a stage again with the next flush, because it has changed."""
        if part.step is not None:
            self._unwritten.add(part.step)

    def close(self, step: int) -> None:
        """Write the stages of a step that is over; those still open count as unfinished."""
        parts = self._parts.pop(step, None)
        if parts is None:
            return
        for part in parts:
            self.end(part, finished=False)
        self._unwritten.discard(step)
        self._put(step, parts)

    def _put_unwritten(self) -> None:
        """Write the open stages, unless this has already taken too much of the run's time.

        Each write contains the whole stage, and another one follows when the stage ends.
        """
        if self._spent_ns > _FREE_NS + _SHARE * self._log.now():
            return
        began = self._log.now()
        for step in self._unwritten:
            self._put(step, self._parts.get(step, []))
        self._unwritten.clear()
        self._spent_ns += self._log.now() - began

    def _put(self, step: int, parts: list[OpenStage]) -> None:
        stages = tuple([part.part() for part in parts if not part.is_empty])
        if stages:
            self._log.put(Inside(id=step, parts=stages))
