"""Repetition of an action while user code runs."""

from __future__ import annotations

import threading
from collections.abc import Callable
from types import TracebackType

_EVERY_S = 0.25


class Ticker:
    """``with Ticker(action):`` calls the action four times a second in a separate thread.

    It is used to commit records: an endless loop ends no step, so nothing else would commit them.
    """

    def __init__(self, action: Callable[[], object]) -> None:
        self._action = action
        self._done = threading.Event()
        self._thread = threading.Thread(target=self._tick, name="gradviz-ticker", daemon=True)

    def __enter__(self) -> None:
        self._thread.start()

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        traceback: TracebackType | None,
    ) -> None:
        self._done.set()
        self._thread.join()

    def _tick(self) -> None:
        while not self._done.wait(_EVERY_S):
            self._action()
