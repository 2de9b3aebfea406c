"""Error boundary around user code that turns exceptions into values."""

from __future__ import annotations

from types import TracebackType


class Caught:
    """``with Caught() as caught:`` keeps what the block raises, including ``SystemExit``.

    Use it around user code only: an error in gradviz must not look like one in user code.

    Attributes:
        error: The exception; None if nothing was raised.
    """

    def __init__(self) -> None:
        self.error: BaseException | None = None

    def __enter__(self) -> Caught:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        traceback: TracebackType | None,
    ) -> bool:
        self.error = error
        return True
