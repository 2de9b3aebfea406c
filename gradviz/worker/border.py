"""The border around user code: whatever it raises becomes a value."""

from __future__ import annotations

from types import TracebackType


class Caught:
    """``with Caught() as caught:`` keeps what the block raises, ``SystemExit`` included.

    To be put around user code only: an error of ours must not pass for one of the user.

    Attributes:
        error: What was raised; None if nothing was.
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
