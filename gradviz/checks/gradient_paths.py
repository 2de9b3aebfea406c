"""Paths through the autograd graph from an output to an input."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any

import torch
from torch import Tensor
from torch.autograd.graph import get_gradient_edge

from gradviz.checks.backward_function import nodes_of
from gradviz.recorder.compat import BackwardNode
from gradviz.recorder.patching.signals import calls_user_code


@dataclass(frozen=True, slots=True)
class GradientStop:
    """A custom Function whose backward lost a gradient.

    Attributes:
        function: The Function's class.
        argument: Position among the arguments of its ``forward``.
        returned: What its ``backward`` returned there, ``None`` or ``zeros``.
    """

    function: type
    argument: int
    returned: str


def has_gradient_path(output: Tensor, target: Tensor) -> bool:
    """Whether the graph contains a path from an output to an input."""
    return bool(on_route(output, target))


def on_route(output: Tensor, target: Tensor) -> set[Any]:
    """The nodes on all paths from an output to an input, including the input's own node."""
    before: dict[Any, list[Any]] = {}
    for node in nodes_of([output]):
        for follower, _ in node.next_functions:
            before.setdefault(follower, []).append(node)
    aim = get_gradient_edge(target).node
    found: set[Any] = set()
    # The output's own node has no node before it.
    waiting = [aim] if aim in before or aim is output.grad_fn else []
    while waiting:
        node = waiting.pop()
        if node not in found:
            found.add(node)
            waiting += before.get(node, [])
    return found


def custom_nodes(output: Tensor, target: Tensor) -> Iterator[tuple[Any, list[int]]]:
    """Custom Function nodes on the paths to an input, with their outgoing slots on them."""
    route = on_route(output, target)
    for node in nodes_of([output]):
        if node in route and isinstance(node, BackwardNode):
            yield node, [k for k, (each, _) in enumerate(node.next_functions) if each in route]


@calls_user_code
def stop_of(output: Tensor, target: Tensor, gradient: Tensor) -> GradientStop | None:
    """The first custom Function whose backward gets a nonzero gradient but passes none on.

    Runs a separate backward pass and keeps the graph. Propagates exceptions of backward.
    """
    seen: list[GradientStop] = []
    handles = [
        # Not a prehook: this one sees what the node has received and what it has returned.
        node.register_hook(_watch(node, slots, seen))
        for node, slots in custom_nodes(output, target)
    ]
    try:
        torch.autograd.grad(output, [target], gradient, retain_graph=True, allow_unused=True)
    finally:
        for handle in handles:
            handle.remove()
    return seen[0] if seen else None


def argument_of(node: Any, slot: int) -> int:
    """Position among ``forward``'s arguments that a slot of a custom node belongs to."""
    # The first counts all arguments, the second only tensors; those with a gradient are the same.
    wanted = [k for k, needs in enumerate(node.needs_input_grad) if needs]
    used = [k for k, (each, _) in enumerate(node.next_functions) if each is not None]
    return wanted[used.index(slot)] if len(wanted) == len(used) else slot


def _watch(node: Any, slots: Sequence[int], seen: list[GradientStop]) -> Any:
    def hook(returned: Sequence[Tensor | None], incoming: Sequence[Tensor | None]) -> None:
        if not any(each is not None and bool(each.any()) for each in incoming):
            return
        given = [returned[slot] for slot in slots]
        if any(each is not None and bool(each.any()) for each in given):
            return
        kind = "None" if any(each is None for each in given) else "zeros"
        cls = getattr(type(node), "_forward_cls", type(node))
        seen.append(GradientStop(cls, argument_of(node, slots[0]), kind))

    return hook
