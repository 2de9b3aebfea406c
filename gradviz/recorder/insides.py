"""What happens inside of steps: which stage each thread is in, and the records made of it."""

from __future__ import annotations

from gradviz.model.inside import Inside, RecordingLevel, StageKind
from gradviz.recorder.activity import Activity, thread_name
from gradviz.recorder.log import Log
from gradviz.recorder.open_part import OpenPart

_FREE_NS = 100_000_000
_SHARE = 1 / 20


class Insides:
    """Opens and closes stages. Called with the log's lock held; does nothing on the node level.

    Each op and line stands in one stage, the innermost that its thread is in, see `here`. So an
    inner call of a Function has its own, and so has a node of an inner pass. What the method of a
    Function calls while it may make nodes, as in a backward with ``create_graph=True``, stays in
    the stage of that method: a step of the node level that it makes has nothing inside.

    Between nodes the engine adds up what meets at the next one; that is in no stage, see `OpMode`.
    """

    def __init__(self, log: Log, activity: Activity, level: RecordingLevel) -> None:
        self.level = level
        self._log = log
        self._activity = activity
        self._parts: dict[int, list[OpenPart]] = {}
        self._unwritten: set[int] = set()
        self._spent_ns = 0
        if level != "nodes":
            log.before_flush.append(self._put_unwritten)

    def here(self) -> OpenPart | None:
        """The innermost stage that the calling thread is in."""
        parts = self._activity.here().parts
        return parts[-1] if parts else None

    def begin(self, stage: StageKind, step: int | None, *, users: bool = False) -> OpenPart | None:
        """A stage begins in the calling thread; None where stages are not looked into.

        Args:
            stage: Which one.
            step: Its step; None where it turns out later whether there is one, see `settle`.
            users: Whether the user's own method runs in it.
        """
        if self.level == "nodes":
            return None
        known = self._parts.setdefault(step, []) if step is not None else []
        part = next((each for each in known if each.stage == stage), None)
        if part is None:
            part = OpenPart(stage, step, self._log.now(), thread_name(), users=users)
            known.append(part)
        part.duration = 0
        self._activity.here().parts.append(part)
        return part

    def end(self, part: OpenPart | None, *, finished: bool = True) -> None:
        """A stage is over, with all that was left open inside of it."""
        if part is None or part.duration:
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

    def give_back(self, part: OpenPart | None) -> None:
        """A stage that has ended turns out to belong to no step, but to what is around it."""
        outer = self.here()
        if part is None or outer is None:
            return
        outer.ops += part.ops
        outer.more_ops += part.more_ops
        self.touch(outer)

    def leave_out(self, step: int, node: int) -> None:
        """Says that what a node does inside is not looked into."""
        text = "What is inside was left out: torch would compute it in another way if watched."
        self._log.find("ops_left_out", text, step=step, node=node)

    def touch(self, part: OpenPart) -> None:
        """Has a stage written with the next flush, as more is known about it."""
        if part.step is not None:
            self._unwritten.add(part.step)

    def close(self, step: int) -> None:
        """A step is over: its stages that still run never came to their end."""
        parts = self._parts.pop(step, [])
        for part in parts:
            self.end(part, finished=False)
        self._unwritten.discard(step)
        self._put(step, parts)

    def _put_unwritten(self) -> None:
        """Writes stages that still run, unless that has already cost too much of the run's time.

        They are written anew from their beginning each time, and once more when they are over.
        """
        if self._spent_ns > _FREE_NS + _SHARE * self._log.now():
            return
        began = self._log.now()
        for step in self._unwritten:
            self._put(step, self._parts.get(step, []))
        self._unwritten.clear()
        self._spent_ns += self._log.now() - began

    def _put(self, step: int, parts: list[OpenPart]) -> None:
        told = tuple([part.part() for part in parts if not part.is_empty])
        if told:
            self._log.put(Inside(id=step, parts=told))
