"""What the recorder remembers of a call that a type overrides, while it runs."""

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
    """A call of a torch function with types that override it.

    Attributes:
        step: Number of its step.
        function: What was called.
        name: As one writes it.
        kinds: The types, in the order in which torch asks them.
        started: Since the recording began, in ns.
        pass_id: The backward pass during which it happens.
        inputs: What it was given.
        site: Where it was called.
        part: What is looked into while a type answers; None where nothing is.
        answers: What types have answered up to now, by type.
        asked: The type that is answering; None between two.
        watch: What that one does meanwhile.
        left: What torch's own answer was, before it was made an object of the subclass again.
        outputs: What it has returned.
        error: The exception it ended with; empty for none.
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
        """Whether it is a call of this function."""
        # Each access to ``Tensor.shape.__get__`` makes another object.
        return function is self.function or (
            type(function) is type(self.function) is _METHOD_WRAPPER and function == self.function
        )


_METHOD_WRAPPER = type(object().__str__)
