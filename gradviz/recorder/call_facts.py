"""What the recorder keeps of a custom Function's call until its backward has run."""

from __future__ import annotations

from dataclasses import dataclass, field
from types import CodeType

from gradviz.recorder.lost_history import Lost


@dataclass(slots=True)
class CallFacts:
    """Numbers and texts of one call, without any tensor.

    Attributes:
        id: Number in the trace.
        arguments: Names of the arguments passed to ``forward``.
        parameters: Names of all positional parameters of ``forward``, passed or not.
        tensor_arguments: Indices of the arguments that are tensors, in order: one for each
            entry of the node's ``next_functions``.
        needs: ``needs_input_grad``, one for each argument; empty if unknown.
        gradients: Names that ``backward`` gives to the gradients it receives; empty if
            unknown.
        node: Number of the node, once it is known.
        function: Name of the class.
        backward: Code of ``backward``; None if it has no Python code.
        non_differentiable: Indices of the outputs that ``backward`` gets no gradient for: those
            marked non-differentiable and those whose dtype has no gradient.
        no_tensors: Indices of the outputs that are not tensors, so no gradient can arrive for
            them.
        once: Whether ``backward`` is decorated with ``once_differentiable``.
        autocast: Whether ``apply`` was called under autocast.
        stale: Values kept by forward for backward that have lost their history, by storage
            address.
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
