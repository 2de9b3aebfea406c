"""What If changes: inputs, parameters, saved values and gradients replaced in a run.

Changes refer to ids of an earlier run. Before a change is applied, its target is compared with the
same place in this run. If they differ, nothing is changed and a finding says why.
"""

from __future__ import annotations

from typing import Any

import torch
from msgspec.structs import replace

from gradviz.catalogue.messages import say
from gradviz.model.graph import SavedSlot
from gradviz.model.tensor import TensorValue
from gradviz.model.what_if import (
    ChangeRecord,
    GradientTarget,
    InputTarget,
    ParameterTarget,
    SavedTarget,
    WhatIfChange,
)
from gradviz.model.what_if_values import content_key
from gradviz.recorder import compat
from gradviz.recorder.asynchronous_errors import completes_interrupted
from gradviz.recorder.compat import disabled_torch_modes
from gradviz.recorder.error_boundary import within_error_boundary
from gradviz.recorder.forward.open_function_call import NodeFacts
from gradviz.recorder.log import RecordLog
from gradviz.recorder.tensors import tensor_compat
from gradviz.recorder.tensors.tensor_elements import (
    dtype_name,
    read_element_bytes,
    unreadable_reason,
)
from gradviz.recorder.tensors.tensor_recorder import TensorRecorder
from gradviz.text.what_if import change_sentence


def replace_elements(tensor: torch.Tensor, change: WhatIfChange) -> torch.Tensor:
    """A new tensor outside of any graph, with the elements of a change."""
    if change.way == "scale":
        # Integers stay integers; their fractional part is cut off.
        return (tensor.detach() * change.factor).to(tensor.dtype)
    new = tensor.detach().clone()
    bits = _elements(change, tensor)
    if change.way == "elements":
        # Positions count in row-major order, whatever the strides.
        flat = new.reshape(-1).clone()
        flat[_positions(change, tensor)] = bits
        bits = flat
    # Cloned again, so that its version counter is at its first value.
    return new.copy_(bits if change.way == "fill" else bits.reshape(new.shape)).clone()


def replace_elements_in_graph(tensor: torch.Tensor, change: WhatIfChange) -> torch.Tensor:
    """Differentiable replacement: elements that are not replaced keep their history."""
    values = replace_elements(tensor, change)
    with torch.enable_grad():
        if change.way == "scale":
            return tensor * change.factor
        if change.way != "elements":
            return values
        is_new = torch.zeros(tensor.numel(), dtype=torch.bool, device=tensor.device)
        is_new[_positions(change, tensor)] = True
        return torch.where(is_new.reshape(tensor.shape), values, tensor)


def _positions(change: WhatIfChange, tensor: torch.Tensor) -> torch.Tensor:
    return torch.tensor(change.positions, dtype=torch.int64, device=tensor.device)


def _elements(change: WhatIfChange, tensor: torch.Tensor) -> torch.Tensor:
    data = bytearray.fromhex(change.bits)
    if not data:
        return torch.empty(0, dtype=tensor.dtype, device=tensor.device)
    return torch.frombuffer(data, dtype=tensor.dtype).to(tensor.device)


OptionalGradients = tuple[torch.Tensor | None, ...]
MadeAt = tuple[int, int]
"""Step and node at which a change is made, for its record and its finding."""


class WhatIfChanges:
    """Applies the changes of one recording.

    Call with the log's lock held, inside `disabled_torch_modes`.

    Attributes:
        edges: Ids of the edges whose gradients are changed.
    """

    def __init__(
        self, log: RecordLog, tensors: TensorRecorder, changes: tuple[WhatIfChange, ...]
    ) -> None:
        self.error_boundary = self._log = log
        self._tensors = tensors
        self._records = [
            ChangeRecord(id=number, change=change) for number, change in enumerate(changes, 1)
        ]
        self._inputs: list[tuple[InputTarget, ChangeRecord]] = []
        self._parameters: list[tuple[ParameterTarget, ChangeRecord]] = []
        self._saved: dict[int, list[tuple[SavedTarget, ChangeRecord]]] = {}
        self._gradients: dict[int, list[tuple[GradientTarget, ChangeRecord]]] = {}
        self._moved = False
        self._settled: set[int] = set()
        for record in self._records:
            match record.change.target:
                case InputTarget() as target:
                    self._inputs.append((target, record))
                case ParameterTarget() as target:
                    self._parameters.append((target, record))
                case SavedTarget() as target:
                    self._saved.setdefault(target.node, []).append((target, record))
                    log.slots[target.saved] = None
                case GradientTarget() as target:
                    self._gradients.setdefault(target.edge, []).append((target, record))
        self.edges = frozenset(self._gradients)

    @within_error_boundary
    def begin(self) -> None:
        """Record the requested changes before anything else."""
        for record in self._records:
            # Inputs may have been changed already.
            if record.id not in self._settled:
                self._log.put(record)
        self._log.flush()

    @within_error_boundary
    def finish(self) -> None:
        """Report the changes whose targets the run has not reached."""
        for record in self._records:
            if record.id not in self._settled:
                self._refuse(record, say("what_if.not_reached"))

    @completes_interrupted
    def inputs(self, names: tuple[str, ...], values: tuple[Any, ...]) -> tuple[Any, ...]:
        """Arguments of the call, with the changes applied."""
        new = list(values)
        with self._log.lock, disabled_torch_modes():
            for target, record in self._inputs:
                at = target.position
                if at >= len(names) or names[at] != target.name:
                    self._refuse(record, say("what_if.no_argument", name=target.name))
                elif (made := self._input(record, new[at])) is not None:
                    new[at] = made
        return tuple(new)

    @within_error_boundary
    def parameters(self, module: torch.nn.Module) -> None:
        """Apply the changes to parameters of the module that is called."""
        parameters_by_name = (
            dict(module.named_parameters(remove_duplicate=False)) if self._parameters else {}
        )
        with self._log.lock, disabled_torch_modes():
            for target, record in self._parameters:
                parameter = parameters_by_name.get(target.name)
                if parameter is None:
                    self._refuse(record, say("what_if.no_parameter", name=target.name))
                elif self._is_same(record, parameter):
                    made = replace_elements(parameter, record.change)
                    self._record_change(record, parameter, made)
                    # Through `.data`, so that module and optimizer keep the same parameter object.
                    parameter.data = made

    @within_error_boundary
    def _input(self, record: ChangeRecord, value: Any) -> torch.Tensor | None:
        if not self._is_same(record, value):
            return None
        made = replace_elements(value, record.change).requires_grad_(
            tensor_compat.requires_grad_of(value)
        )
        self._record_change(record, value, made)
        return made

    @within_error_boundary
    def saved(self, node: Any, facts: NodeFacts, step: int) -> None:
        """Change the saved values of a node once, when a pass that will reach it begins."""
        for target, record in self._saved.pop(facts.id, ()):
            slot = self._log.slots.get(target.saved)
            is_same = slot is not None and (slot.node, slot.item.name) == (facts.id, target.name)
            if slot is None or not is_same or compat.node_name(node) != target.node_name:
                text = say("what_if.not_saved", node=target.node_name, name=target.name)
                self._refuse(record, text)
                continue
            self._change_saved(node, facts, slot, record, (step, facts.id))

    def _change_saved(
        self, node: Any, facts: NodeFacts, slot: SavedSlot, record: ChangeRecord, made_at: MadeAt
    ) -> None:
        target = record.change.target
        assert isinstance(target, SavedTarget)
        place = target.slot if facts.kind == "custom" else None
        try:
            handle = compat.saved_handle(node, target.name, place)
            if compat.is_packed(handle):
                # Unpacking may recompute the value.
                self._refuse(record, say("what_if.packed"))
                return
            # Reading it makes torch check whether it was changed in place.
            value = compat.saved_value(node, target.name, place)
        except (RuntimeError, AttributeError, IndexError) as error:
            reason = str(error).partition("\n")[0].rstrip(".")
            self._refuse(record, say("what_if.unreadable", reason=reason))
            return
        if self._is_same(record, value):
            made = replace_elements(value, record.change)
            # Torch detaches what such a hook unpacks, which adds an op to the node's backward.
            handle.register_hooks(lambda _: made, lambda kept: kept)
            new = self._record_change(record, value, made, made_at)
            self._log.put(replace(slot, item=replace(slot.item, tensor=new)))

    def gradients(
        self,
        facts: NodeFacts,
        pass_id: int,
        step: int,
        made: OptionalGradients,
        *,
        differentiable: bool,
    ) -> OptionalGradients:
        """Gradients that a node passes on, with the changes applied.

        Args:
            facts: The node that the engine has executed.
            pass_id: The backward pass.
            step: Number of the node's step.
            made: Gradients that the node has computed, one for each slot.
            differentiable: Whether the pass creates a graph of itself.
        """
        if self.edges.isdisjoint(facts.edges):
            return made
        new = list(made)
        for slot, edge in enumerate(facts.edges):
            for target, record in self._gradients.get(edge or 0, ()):
                if target.pass_id == pass_id and slot < len(new):
                    changed = self._gradient(
                        record, slot, new[slot], (step, facts.id), differentiable
                    )
                    new[slot] = new[slot] if changed is None else changed
        return made if list(map(id, new)) == list(map(id, made)) else tuple(new)

    @within_error_boundary
    def _gradient(
        self, record: ChangeRecord, slot: int, value: Any, made_at: MadeAt, differentiable: bool
    ) -> torch.Tensor | None:
        target = record.change.target
        assert isinstance(target, GradientTarget)
        node: Any = compat.current_node()
        receiver = node.next_functions[slot][0]
        names = {"source": target.source_name, "target": target.target_name}
        if [compat.node_name(each) for each in (node, receiver)] != [*names.values()]:
            text = say("what_if.no_flow", **names)
            self._refuse(record, text)
            return None
        if not self._is_same(record, value):
            return None
        in_graph = differentiable and tensor_compat.requires_grad_of(value)
        made = (replace_elements_in_graph if in_graph else replace_elements)(value, record.change)
        self._record_change(record, value, made, made_at)
        return made

    def _is_same(self, record: ChangeRecord, value: Any) -> bool:
        """Whether a value is the one that the change was made for; if not, refuse the change."""
        change = record.change
        if not isinstance(value, torch.Tensor):
            self._refuse(record, say("what_if.no_tensor"))
            return False
        note = unreadable_reason(value) or (
            say("what_if.vmap") if tensor_compat.is_wrapped(value) else ""
        )
        if note:
            self._refuse(record, say("what_if.no_elements", reason=note))
            return False
        found = (dtype_name(value.dtype), tuple(value.shape))
        if found != (change.dtype, change.shape):
            text = say("what_if.other_form", dtype=found[0], shape=list(found[1]))
            self._refuse(record, text)
            return False
        # After an earlier change, other values are expected.
        if self._moved or not change.seal:
            return True
        whole = TensorValue(dtype=found[0], shape=found[1], data=read_element_bytes(value))
        if content_key(whole) != change.seal:
            self._refuse(record, say("what_if.other_value"))
            return False
        return True

    def _record_change(
        self,
        record: ChangeRecord,
        old: torch.Tensor,
        new: torch.Tensor,
        made_at: MadeAt | tuple[None, None] = (None, None),
    ) -> int:
        self._moved = True
        self._settled.add(record.id)
        tensors = self._tensors.record(old), self._tensors.record(new)
        step, node = made_at
        done = replace(record, applied=True, step=step, old=tensors[0], new=tensors[1], problem="")
        self._log.put(done)
        text = say("what_if.applied", change=change_sentence(record.change))
        self._log.find("what_if", text, step=step, node=node)
        return tensors[1]

    def _refuse(self, record: ChangeRecord, problem: str) -> None:
        self._settled.add(record.id)
        self._log.put(replace(record, problem=problem))
        text = say("what_if.refused", change=change_sentence(record.change), problem=problem)
        self._log.find("what_if_refused", text, severity="warning")
