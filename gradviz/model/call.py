"""One call of a custom ``torch.autograd.Function``."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

from gradviz.model.item import Item
from gradviz.model.source import Location

Style = Literal["combined", "setup_context"]


@dataclass(frozen=True, slots=True, kw_only=True)
class FunctionCall:
    """What one ``apply`` of a custom Function was given, made, saved and declared.

    Saved tensors stand in the trace's `SavedSlot` entries of the node.

    Attributes:
        id: Number in the trace.
        function: Name of the class, like ``LinearFunction``.
        style: ``combined`` for ``forward(ctx, ...)``, ``setup_context`` for the split form.
        node: The node that the call made; None under ``no_grad``.
        arguments: In order, named by the parameters of ``forward``.
        outputs: In order, named ``output`` or ``output 0``, ``output 1``.
        attributes: What the user kept on ``ctx`` besides saved tensors.
        needs_input_grad: For each argument; empty where torch did not say.
        dirty: Indices of the arguments declared by ``mark_dirty``.
        non_differentiable: Indices of outputs declared by ``mark_non_differentiable``.
        materialize_grads: Whether undefined gradients arrive as zeros.
        once_differentiable: Whether ``backward`` carries that decorator.
        forward: Where ``forward`` is defined.
        setup_context: Where ``setup_context`` is defined; None in the combined style.
        backward: Where ``backward`` (or ``vjp``) is defined; None if it is not.
    """

    id: int
    function: str
    style: Style
    node: int | None
    arguments: tuple[Item, ...]
    outputs: tuple[Item, ...]
    attributes: tuple[Item, ...]
    needs_input_grad: tuple[bool, ...]
    dirty: tuple[int, ...]
    non_differentiable: tuple[int, ...]
    materialize_grads: bool
    once_differentiable: bool
    forward: Location | None
    setup_context: Location | None
    backward: Location | None

    @property
    def backward_name(self) -> Literal["backward", "vjp"]:
        """What the method that computes gradients is called, of the two names that it may have."""
        name = "" if self.backward is None else self.backward.function
        return "vjp" if name.rpartition(".")[2] == "vjp" else "backward"
