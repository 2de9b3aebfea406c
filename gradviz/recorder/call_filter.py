"""Which calls of a run belong to the module or functions that a recording is limited to."""

from __future__ import annotations

from types import CodeType, FrameType

from gradviz.recorder.sources import current_frame
from gradviz.recorder.thread_state import ThreadStates


class CallFilter:
    """Accepts calls made inside of one module, or of functions with one qualified name."""

    def __init__(self, path: str, thread_states: ThreadStates) -> None:
        """Prepare the filter.

        Args:
            path: Path of a module relative to the module called first, such as ``encoder.0``, or
                class name of that one; or name of a function with or without its module, or of
                what contains it. Everything below the path counts too. Empty for all calls.
            thread_states: The modules and steps that are open in each thread.
        """
        self._path = path
        self._thread_states = thread_states
        self._known: dict[CodeType, bool] = {}

    def accepts_call(self) -> bool:
        """Whether the call that the calling thread is about to make belongs to the recording."""
        if not self._path:
            return True
        state = self._thread_states.current()
        # What a recorded call or node does belongs to it.
        if state.steps or any(self._is_below(each.path) for each in self._thread_states.modules()):
            return True
        frame: FrameType | None = current_frame(1)
        while frame is not None:
            if self._is_named(frame):
                return True
            frame = frame.f_back
        return False

    def _is_named(self, frame: FrameType) -> bool:
        code = frame.f_code
        known = self._known.get(code)
        if known is None:
            name = code.co_qualname
            whole = f"{frame.f_globals.get('__name__', '')}.{name}"
            is_function = not name.startswith("<")
            known = is_function and (self._is_below(name) or self._is_below(whole))
            self._known[code] = known
        return known

    def _is_below(self, path: str) -> bool:
        return path == self._path or path.startswith(f"{self._path}.")
