"""What happens inside of steps: which stage each thread is in, and the records made of it."""

from __future__ import annotations

from gradviz.model.inside import Inside, RecordingLevel, StageKind
from gradviz.recorder.activity import Activity, thread_name
from gradviz.recorder.log import Log
from gradviz.recorder.open_part import OpenPart


class Insides:
    """Opens and closes stages. Called with the log's lock held; does nothing on the node level.

    Ops and lines go into the innermost open stage of their thread, see `here`.
    """

    def __init__(self, log: Log, activity: Activity, level: RecordingLevel) -> None:
        self.level = level
        self._log = log
        self._activity = activity
        self._parts: dict[int, list[OpenPart]] = {}
        self._unwritten: set[int] = set()
        if level != "nodes":
            log.before_flush.append(self._put_unwritten)

    def here(self) -> OpenPart | None:
        """The innermost stage that the calling thread is in."""
        parts = self._activity.here().parts
        return parts[-1] if parts else None

    def begin(self, stage: StageKind, step: int | None) -> OpenPart | None:
        """A stage begins in the calling thread; None where stages are not looked into.

        Args:
            stage: Which one.
            step: Its step; None where it turns out later whether there is one, see `settle`.
        """
        if self.level == "nodes":
            return None
        part = OpenPart(stage, step, self._log.now(), thread_name())
        self._activity.here().parts.append(part)
        if step is not None:
            self._parts.setdefault(step, []).append(part)
        return part

    def end(self, part: OpenPart | None, *, finished: bool = True) -> None:
        """A stage is over, with all that was left open inside of it."""
        if part is None:
            return
        part.duration = self._log.now() - part.started
        part.finished = finished
        self._leave(part)
        self.touch(part)

    def _leave(self, part: OpenPart) -> None:
        parts = self._activity.here().parts
        if part not in parts:
            # The thread that began it is another one.
            parts = next((t.parts for t in self._activity.threads.values() if part in t.parts), [])
        if part in parts:
            del parts[parts.index(part) :]

    def settle(self, part: OpenPart | None, step: int) -> None:
        """Says to which step a stage belongs that has ended."""
        if part is not None:
            part.step = step
            self._parts.setdefault(step, []).append(part)

    def touch(self, part: OpenPart) -> None:
        """Has a stage written with the next flush, as more is known about it."""
        if part.step is not None:
            self._unwritten.add(part.step)

    def close(self, step: int) -> None:
        """A step is over: its stages that still run never came to their end."""
        parts = self._parts.pop(step, [])
        for part in parts:
            if not part.duration:
                part.duration = self._log.now() - part.started
                self._leave(part)
        self._unwritten.discard(step)
        self._put(step, parts)

    def _put_unwritten(self) -> None:
        for step in self._unwritten:
            self._put(step, self._parts.get(step, []))
        self._unwritten.clear()

    def _put(self, step: int, parts: list[OpenPart]) -> None:
        told = tuple([part.part() for part in parts if not part.is_empty])
        if told:
            self._log.put(Inside(id=step, parts=told))
