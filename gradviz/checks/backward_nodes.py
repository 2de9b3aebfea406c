"""Detection of ``once_differentiable``, for which torch puts an error node into the graph.

With ``torch.autograd.grad`` that node is not on the path to an input, so it never runs:
gradgradcheck sees zeros and reports a mismatch.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

from torch import Tensor

from gradviz.recorder.compat import BackwardNode
from gradviz.recorder.forward.function_source import read_function_source


def custom_name(node: Any) -> str:
    """Class name of the custom Function that created a node; empty for torch's own nodes."""
    cls = getattr(type(node), "_forward_cls", None)
    return cls.__name__ if isinstance(node, BackwardNode) and cls is not None else ""


_ERROR = "torch::autograd::Error"


def runs_into_error(gradients: Sequence[Tensor | None]) -> bool:
    """Whether gradients computed with ``create_graph`` come from torch's error node."""
    made = [each for each in gradients if each is not None]
    return any(node.name() == _ERROR for node in nodes_of(made))


def once_differentiable_names(outputs: Sequence[Tensor]) -> tuple[str, ...]:
    """Names of the Functions in a graph with a ``once_differentiable`` backward."""
    found: dict[str, None] = {}
    for node in nodes_of(outputs):
        cls = getattr(type(node), "_forward_cls", None)
        if (
            isinstance(node, BackwardNode)
            and cls is not None
            and read_function_source(cls).once_differentiable
        ):
            found[cls.__name__] = None
    return tuple(found)


def nodes_of(tensors: Sequence[Tensor]) -> Iterator[Any]:
    """Every node of the tensors' graph, each once."""
    waiting: list[Any] = [each.grad_fn for each in tensors if each.grad_fn is not None]
    seen = set(waiting)
    while waiting:
        node = waiting.pop()
        yield node
        for follower, _ in node.next_functions:
            if follower is not None and follower not in seen:
                seen.add(follower)
                waiting.append(follower)
