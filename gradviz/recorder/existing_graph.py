"""Recording of a grad_fn graph that already exists, without a run."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from types import FrameType
from typing import Any

import torch

from gradviz.model.trace import Outcome
from gradviz.recorder.compat import disabled_torch_modes
from gradviz.recorder.frame_variables import variables_of
from gradviz.recorder.options import RecordingOptions
from gradviz.recorder.recording_context import RecordingContext
from gradviz.recorder.tensor_names import TensorNames, outermost_modules
from gradviz.recorder.variable_places import find_place
from gradviz.store.writer import TraceWriter

Parameters = torch.nn.Module | Mapping[str, torch.Tensor] | None


def record_graph(
    writer: TraceWriter,
    nodes: Sequence[Any],
    options: RecordingOptions,
    params: Parameters,
    frame: FrameType | None,
) -> None:
    """Record all nodes and edges that lead to leaves, and what the nodes have saved.

    Nothing runs: no backward, and no saved-tensor hook. The graph is the same afterwards.

    Args:
        writer: Receives the records.
        nodes: The ``grad_fn`` of each output.
        options: Whether elements are stored, and how many.
        params: Names of leaves, or the module that has them; None to search for the modules.
        frame: Where variables that hold leaves and modules are searched for.

    Raises:
        TraceError: If the trace cannot be written.
    """
    context = RecordingContext(writer, options)
    log, names, graph = context.log, context.names, context.graph
    with log.lock, disabled_torch_modes():
        _name_leaves(names, nodes, params, frame)
        try:
            graph.discover(nodes)
        finally:
            graph.remove_marks(nodes)
            context.tensors.forget()
        log.finish(Outcome(kind="finished", message="", duration_ns=log.now()))
    if log.problem is not None:
        raise log.problem


def _name_leaves(
    names: TensorNames, nodes: Sequence[Any], params: Parameters, frame: FrameType | None
) -> None:
    found = dict(variables_of(frame))
    if isinstance(params, torch.nn.Module):
        names.add_named_root(params, "")
    elif params is not None:
        for name, tensor in params.items():
            names.give(tensor, name)
    else:
        for each in outermost_modules(list(_leaves(nodes))):
            names.add_named_root(each, find_place(each, frame) or type(each).__name__)
    for name, value in found.items():
        if isinstance(value, torch.Tensor):
            names.give(value, name)


def _leaves(nodes: Sequence[Any]) -> Iterator[torch.Tensor]:
    waiting, seen = list(reversed(nodes)), set(nodes)
    while waiting:
        node = waiting.pop()
        variable = getattr(node, "variable", None)
        if variable is not None:
            yield variable
        targets = [each for each, _ in node.next_functions if each is not None]
        waiting += [each for each in reversed(targets) if each not in seen]
        seen.update(targets)
