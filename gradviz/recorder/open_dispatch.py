"""State of a call that types override, while it is in progress."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

from gradviz.model.item import Item
from gradviz.model.step import DispatchAnswer
from gradviz.recorder.call_site import CallSite
from gradviz.recorder.open_part import OpenPart
from gradviz.recorder.protocol_watch import ProtocolWatch


@dataclass(slots=True)
class OpenDispatch:
    """A call of a torch function that types override.

    Attributes:
        step: Number of its step.
        function: The torch function.
        name: Its public name.
        kinds: The types, in the order in which torch asks them.
        started: Start in ns since the recording began.
        pass_id: The backward pass in which it is called.
        inputs: Its arguments.
        site: Where it is called.
        part: The stage that is open while a type answers; None if stages are not recorded.
        answers: Answers so far, by type.
        asked: The type that is answering; None between two types.
        watch: Watches what that type's ``__torch_function__`` calls.
        left: torch's own result, before it was converted back to the subclass.
        outputs: What it has returned.
        error: The exception that it raised; empty if none.
    """

    step: int
    function: Any
    name: str
    kinds: tuple[type, ...]
    started: int
    pass_id: int | None
    inputs: tuple[Item, ...]
    site: CallSite
    part: OpenPart | None = None
    answers: dict[type, DispatchAnswer] = field(default_factory=dict)
    asked: type | None = None
    watch: ProtocolWatch | None = None
    left: Any = None
    outputs: tuple[Item, ...] = ()
    error: str = ""

    def is_of(self, function: Any) -> bool:
        """Whether this is a call of ``function``."""
        # Each access to ``Tensor.shape.__get__`` creates another object.
        return function is self.function or (
            type(function) is type(self.function) is _METHOD_WRAPPER and function == self.function
        )


_METHOD_WRAPPER = type(object().__str__)
