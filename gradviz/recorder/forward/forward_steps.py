"""Forward steps of torch calls that create nodes, other than custom Functions."""

from __future__ import annotations

import weakref
from collections.abc import Iterable
from typing import Any

import torch

from gradviz.model.item import tensor_item
from gradviz.model.step import ForwardStep
from gradviz.recorder.asynchronous_errors import is_asynchronous
from gradviz.recorder.call_site_names import CallSite, WrittenNames, argument_names
from gradviz.recorder.compat import DISABLED_FUNCTIONS, disabled_torch_modes
from gradviz.recorder.error_boundary import within_error_boundary
from gradviz.recorder.frame_variables import variable_of
from gradviz.recorder.inside.open_stage import OpenStage
from gradviz.recorder.module_call_names import running_module
from gradviz.recorder.recording_context import Recorder, RecordingContext
from gradviz.recorder.source_expressions import spread_targets
from gradviz.recorder.sources import caller
from gradviz.recorder.tensors import tensor_compat
from gradviz.recorder.torch_call import TorchCall
from gradviz.recorder.variable_places import find_place, has_loop_variable


class ForwardStepRecorder(Recorder):
    """Recorder of one step for each torch call of the user that created a node."""

    def __init__(self, context: RecordingContext) -> None:
        super().__init__(context)
        self._sites = context.sites
        self._compiled_code = context.compiled_code

    @within_error_boundary
    def record(self, call: TorchCall, part: OpenStage | None = None) -> int | None:
        """Record a call that has returned, if it created nodes; return the number of its step.

        Args:
            call: The call.
            part: The stage that `begin_op_stage` opened before the call.
        """
        log = self._log
        with log.lock, disabled_torch_modes():
            if not log.announce_call():
                return None
            try:
                return self._record(call, part)
            except Exception as error:
                if log.strict or is_asynchronous(error):
                    raise
                self._stages.end(part)
                log.report_error("ForwardStepRecorder.record", error)
                pass_id = self._thread_states.pass_id()
                log.put_missing_step(call.name, error, pass_id)
                return None

    def name_result(self, call: TorchCall) -> None:
        """Name a leaf that a call has returned without a node: like its argument or variable.

        Otherwise it would have the name of a parameter of the function that uses it first.
        """
        result = call.result
        if isinstance(result, torch.Tensor) and tensor_compat.requires_grad(result):
            self._name_result(call, result)

    @within_error_boundary
    def _name_result(self, call: TorchCall, result: torch.Tensor) -> None:
        with self._log.lock, disabled_torch_modes():
            site = call.find_site(self._sites)
            passed = zip(site.written.arguments, call.args, strict=False)
            names = [name for name, each in passed if each is result]
            name = names[0] if names else ""
            # An attribute is named as the code that uses it sees its object.
            targets = site.written.targets
            if not name and len(targets) == 1 and "." not in targets[0]:
                name = targets[0]
            if name:
                self._name_leaf(result, name)

    def _name_leaf(self, leaf: torch.Tensor, name: str) -> None:
        """Name a leaf as its caller does; of a loop's variable, as what the loop goes through."""
        if self._names.of(leaf):
            return
        if tensor_compat.requires_grad(leaf):
            frame = caller()
            if has_loop_variable(name, frame):
                name = find_place(leaf, frame) or name
            if issubclass(type(leaf), torch.nn.Parameter) and not self._names.has_path(leaf):
                held_by = name.rpartition(".")[0]
                owner: Any = None if frame is None else variable_of(frame, held_by)
                if issubclass(type(owner), torch.nn.Module):
                    self._names.add_owner(owner)
        self._names.give(leaf, name)

    def _record(self, call: TorchCall, part: OpenStage | None) -> int | None:
        result = call.result
        outputs: list[tuple[str, Any]]
        if isinstance(result, torch.Tensor):
            outputs, tensors = [("output", result)], [result]
        else:
            # `x[i] = v` returns None; what it makes is the changed tensor.
            is_changed = result is None and call.args
            outputs = [(call.name, call.args[0])] if is_changed else _tensors_in(result, "output")
            tensors = [each for _, each in outputs if isinstance(each, torch.Tensor)]
        site = call.find_site(self._sites)
        targets = site.written.targets
        inputs = call.named_values(site)
        for place, (name, value) in enumerate(inputs):
            if isinstance(value, torch.Tensor):
                inputs[place] = self._name_input(name, value, site), value
        if len(targets) == 1 and isinstance(result, torch.Tensor) and targets[0]:
            self._names.give(result, targets[0])
        makers = [node for each in tensors for node in tensor_compat.grad_fns(each)]
        made = self._graph.discover(makers, call.since)
        if call.made:
            made = sorted((*call.made, *made))
        nodes = tuple([node for _, node in made])
        if part is not None:
            self._stages.end(part)
        if not nodes:
            self._stages.merge_into_outer(part)
            return None
        for each in tensors:
            self._graph.watch(each)
        number = self._put(call, nodes, inputs, outputs, site)
        self._compiled_code.report(number)
        if part is not None:
            self._stages.assign_step(part, number)
            self._stages.close(number)
        return number

    def _name_input(self, name: str, value: torch.Tensor, site: CallSite) -> str:
        """Name of an argument, and of its leaf; what a layer calls ``weight`` is the user's."""
        written = name if (is_direct := site.includes(name)) else ""
        if not is_direct and not site.is_known:
            written = self._name_passed(value)
        if tensor_compat.grad_fn_of(value) is None:
            if written:
                self._name_leaf(value, written)
            if not is_direct:
                written = self._name_of_leaf(value) or written
        return written or name

    def _name_of_leaf(self, value: torch.Tensor) -> str:
        """Name of a leaf that a layer of torch uses; empty if unknown or without gradient."""
        if not tensor_compat.requires_grad(value):
            return ""
        if issubclass(type(value), torch.nn.Parameter) and not self._names.has_path(value):
            # Its ``forward`` may have been called instead of the layer.
            owner = running_module()
            if owner is not None:
                self._names.add_owner(owner)
        return self._names.unique_leaf_name(value)

    def _name_passed(self, value: torch.Tensor) -> str:
        """What the user's code calls a tensor that it has passed to a module that runs."""
        for module in reversed(self._thread_states.modules()):
            if name := module.inputs.get(id(value)):
                return name
        return ""

    def _put(
        self,
        call: TorchCall,
        nodes: tuple[int, ...],
        inputs: list[tuple[str, Any]],
        outputs: list[tuple[str, Any]],
        site: CallSite,
    ) -> int:
        log, item, earlier = self._log, self._tensors.item, call.earlier
        passed = [
            tensor_item(name, earlier[id(value)]) if id(value) in earlier else item(name, value)
            for name, value in inputs
        ]
        is_single = len(outputs) == 1
        made = [item("output" if is_single else name, value) for name, value in outputs]
        # Without a name of an argument, something between may call the function several times.
        targets = spread_targets(site.written.targets, len(made)) if site.is_known else ()
        number = log.highest("step") + 1
        step = ForwardStep(
            number=number,
            finished=True,
            started_ns=call.started,
            duration_ns=log.now() - call.started,
            pass_id=self._thread_states.pass_id(),
            op=call.name,
            # The last one made the result, unless a custom Function did.
            node=nodes[-1],
            nodes=nodes,
            call=None,
            inputs=tuple(passed),
            outputs=tuple(made),
            location=site.location,
            rerun=site.rerun,
            assigned=targets if len(targets) == len(made) and any(targets) else (),
        )
        if is_single and isinstance(result := outputs[0][1], torch.Tensor):
            self._thread_states.current().last_result = weakref.ref(result), step
        log.put_rows([("step", number, step, None)])
        return log.next("step")

    @within_error_boundary
    def begin_op_stage(self, call: TorchCall) -> OpenStage | None:
        """Open a stage for a call, unless its ops belong to a user's method or to another op.

        Pass the result to `record`, or to `end_op_stage` if there is nothing to record.

        Args:
            call: The call, which is about to run.
        """
        if not torch.is_grad_enabled():
            return None
        with self._log.lock, DISABLED_FUNCTIONS():
            if not may_make_node(call.values):
                return None
            if not self._log.accepts_call():
                return None
            outer_stage = self._stages.current()
            if outer_stage is not None and (outer_stage.runs_user_code or outer_stage.is_in_op):
                return None
            return self._stages.begin("forward", None)

    @within_error_boundary
    def end_op_stage(self, part: OpenStage | None) -> None:
        """Move the ops of a call that raised or created no node to the enclosing stage."""
        if part is not None:
            with self._log.lock:
                self._stages.end(part)
                self._stages.merge_into_outer(part)

    @within_error_boundary
    def before(self, call: TorchCall) -> None:
        """Record the tensors passed to a call that may write to them, if it can create a node."""
        if not torch.is_grad_enabled():
            return
        with self._log.lock, disabled_torch_modes():
            if not self._log.accepts_call():
                return
            given = argument_names(call.args, call.kwargs, WrittenNames())
            tensors = [value for _, value in given if isinstance(value, torch.Tensor)]
            if any(map(tensor_compat.requires_grad, tensors)):
                call.earlier = {id(each): self._tensors.record(each) for each in tensors}


def may_make_node(values: Iterable[Any], depth: int = 2) -> bool:
    """Whether any tensor among values, or nested in them, requires a gradient."""
    for value in values:
        if isinstance(value, torch.Tensor):
            if tensor_compat.requires_grad(value):
                return True
        elif depth and isinstance(value, tuple | list | dict):
            inner = value.values() if isinstance(value, dict) else value
            if may_make_node(inner, depth - 1):
                return True
    return False


def _tensors_in(value: Any, name: str) -> list[tuple[str, Any]]:
    """The tensors that a call has returned, with their names."""
    if isinstance(value, torch.Tensor):
        return [(name, value)]
    found: list[tuple[str, Any]] = []
    if isinstance(value, tuple | list):
        # Torch's own return types are no named tuples, but ``__match_args__`` lists their fields.
        fields = getattr(type(value), "_fields", None) or getattr(value, "__match_args__", None)
        for position, member in enumerate(value):
            label = str(position)
            if fields is not None and len(fields) == len(value):
                label = fields[position]
            found += _tensors_in(member, label if fields else f"{name} {label}")
    elif isinstance(value, dict):
        for key, member in value.items():
            found += _tensors_in(member, f"{name} {key}")
    return found
