"""What the recorder remembers of a custom Function's call until its backward ran."""

from __future__ import annotations

from dataclasses import dataclass, field
from types import CodeType

from gradviz.recorder.lost_history import Lost


@dataclass(slots=True)
class CallFacts:
    """Numbers and text of one call.

    Attributes:
        id: Number in the trace.
        arguments: Names of the arguments that ``forward`` was given.
        parameters: Names of all positional parameters of ``forward``, given or not.
        tensor_arguments: Which of them are tensors, in order: one for each entry of the node's
            ``next_functions``.
        needs: ``needs_input_grad``, one for each argument; empty if unknown.
        gradients: Names of what ``backward`` receives, after its own parameters; empty if unknown.
        node: Number of the node, once it is known.
        function: Name of the class.
        backward: Code of ``backward``; None for none that Python has.
        non_differentiable: Indices of the outputs that ``backward`` gets no gradient for: those
            declared so, and those whose dtype has none.
        no_tensors: Indices of the outputs that are none, so that nothing can arrive for them.
        once: Whether ``backward`` is declared ``once_differentiable``.
        autocast: Whether ``apply`` was called where torch casts by itself.
        stale: What forward kept for backward that has lost its history, by address of storage.
    """

    id: int
    arguments: tuple[str, ...] = ()
    parameters: tuple[str, ...] = ()
    tensor_arguments: tuple[int, ...] = ()
    needs: tuple[bool, ...] = ()
    gradients: tuple[str, ...] = ()
    node: int | None = None
    function: str = ""
    backward: CodeType | None = None
    non_differentiable: tuple[int, ...] = ()
    no_tensors: tuple[int, ...] = ()
    once: bool = False
    autocast: bool = False
    stale: dict[int, Lost] = field(default_factory=dict)
