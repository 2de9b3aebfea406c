"""A call of a custom ``torch.autograd.Function``."""

from typing import Literal

from gradviz.model.codec import Natural, TraceRecord
from gradviz.model.item import Item
from gradviz.model.source import Location

FunctionStyle = Literal["combined", "setup_context"]


class FunctionCall(TraceRecord, frozen=True, kw_only=True):
    """Arguments, outputs, attributes and declarations of one ``apply`` of a custom Function.

    Saved tensors are the `SavedSlot` entries of the node in the trace.

    Attributes:
        id: Number in the trace.
        function: Class name, such as ``LinearFunction``.
        style: ``combined`` for ``forward(ctx, ...)``, ``setup_context`` for the split form.
        node: Node that the call created; None under ``no_grad``.
        arguments: In order, named after the parameters of ``forward``.
        outputs: In order, named ``output`` or ``output 0``, ``output 1``.
        attributes: What the user stored on ``ctx`` besides saved tensors.
        needs_input_grad: One entry per argument; empty if torch did not report it.
        dirty: Indices of the arguments passed to ``mark_dirty``.
        non_differentiable: Indices of the outputs passed to ``mark_non_differentiable``.
        materialize_grads: Whether undefined gradients are materialized as zeros.
        once_differentiable: Whether ``backward`` has that decorator.
        forward: Where ``forward`` is defined.
        setup_context: Where ``setup_context`` is defined; None in the combined style.
        backward: Where ``backward`` (or ``vjp``) is defined; None if it is not.
    """

    id: Natural
    function: str
    style: FunctionStyle
    node: Natural | None
    arguments: tuple[Item, ...]
    outputs: tuple[Item, ...]
    attributes: tuple[Item, ...]
    needs_input_grad: tuple[bool, ...]
    dirty: tuple[Natural, ...]
    non_differentiable: tuple[Natural, ...]
    materialize_grads: bool
    once_differentiable: bool
    forward: Location | None
    setup_context: Location | None
    backward: Location | None

    @property
    def backward_name(self) -> Literal["backward", "vjp"]:
        """Name of the method that computes the gradients, ``backward`` or ``vjp``."""
        name = "" if self.backward is None else self.backward.function
        return "vjp" if name.rpartition(".")[2] == "vjp" else "backward"
