"""Recording of custom Function calls: arguments, outputs, saved values and declarations."""

from __future__ import annotations

from functools import partial
from itertools import starmap
from threading import get_ident
from types import FrameType
from typing import Any

import torch

from gradviz.model.function_call import FunctionCall
from gradviz.model.graph import SavedRole, SavedSlot
from gradviz.model.inside import StageKind
from gradviz.model.step import ForwardStep
from gradviz.recorder import compat
from gradviz.recorder.call_site_names import is_rerun, names_at
from gradviz.recorder.compat import disabled_torch_modes
from gradviz.recorder.error_boundary import attempt, within_error_boundary
from gradviz.recorder.forward.ctx_declarations import (
    ArgumentWrite,
    ReturnedCall,
    free_attributes,
    read_declarations,
    read_saved,
    written_history,
)
from gradviz.recorder.forward.forward_rules import ForwardRuleChecker
from gradviz.recorder.forward.function_source import method_codes, read_function_source
from gradviz.recorder.forward.grad_history import find_values_without_history
from gradviz.recorder.forward.nested_tensors import nested_arguments
from gradviz.recorder.forward.open_function_call import CallFacts, OpenFunctionCall
from gradviz.recorder.inside.open_stage import write_location
from gradviz.recorder.log import RecordLog
from gradviz.recorder.recording_context import Recorder, RecordingContext
from gradviz.recorder.safe_text import class_name, printable_text
from gradviz.recorder.sources import caller
from gradviz.recorder.tensors import tensor_compat
from gradviz.recorder.tensors.tensor_recorder import SavedTensors, TensorRecorder
from gradviz.recorder.tensors.version_watch import TensorVersionWatch


def record_saved_slots(
    log: RecordLog, tensors: TensorRecorder, call: OpenFunctionCall, outputs: tuple[Any, ...]
) -> None:
    """Record the saved values of a call that returned ``outputs``."""
    assert call.facts.node is not None
    saved = call.saved
    names = call.saved_names
    items, storages = [], []
    for position, (value, (role, index)) in enumerate(saved):
        name = names[position] if names else _name(call, role, index, position)
        if role == "output" and index is not None and index < len(outputs):
            value = outputs[index]
        items.append(item := tensors.item(name, value))
        storages.append(0 if item.tensor is None else tensors.last_storage)
        log.put_slot(
            SavedSlot(
                id=log.next("saved"),
                node=call.facts.node,
                item=item,
                role=role,
                role_index=index,
            )
        )
    call.facts.saved = SavedTensors(
        log.highest("saved"),
        tuple([item.name for item in items]),
        tuple([item.tensor or 0 for item in items]),
        tuple(storages),
    )


def _name(call: OpenFunctionCall, role: SavedRole, index: int | None, position: int) -> str:
    if role == "input" and index is not None and index < len(call.facts.arguments):
        return call.facts.arguments[index]
    return f"output {index}" if role == "output" else f"saved {position}"


class FunctionCallRecorder(Recorder):
    """Recorder of custom Function calls."""

    def __init__(self, context: RecordingContext, rules: ForwardRuleChecker) -> None:
        super().__init__(context)
        self._rules = rules
        self._compiled_code = context.compiled_code
        self._running: dict[Any, list[OpenFunctionCall]] = {}

    def _stack(self) -> list[OpenFunctionCall]:
        return self._running.setdefault(get_ident(), [])

    def is_functorch_reapply(self, cls: type) -> bool:
        """Whether functorch calls this ``apply`` on behalf of a call that is already recorded."""
        stack = self._stack()
        return (
            bool(stack)
            and stack[-1].facts.nested
            and not stack[-1].entered
            and stack[-1].cls is cls
        )

    @within_error_boundary
    def begin(
        self, cls: Any, args: tuple[Any, ...], kwargs: dict[str, Any]
    ) -> OpenFunctionCall | None:
        """Open the record and the step of a call of ``apply``; None if that fails."""
        frame = caller()
        depth = len(self._stack())
        try:
            with self._log.lock:
                if not self._log.announce_call():
                    return None
                call = attempt(self._log, lambda: self._begin(cls, args, kwargs, frame))
                if not isinstance(call, Exception):
                    return call
                begun = self._stack()[depth:]
                self._lose_step(cls, call, begun[0] if begun else None)
                return None
        except BaseException:
            # Of a signal; the caller does not know the call.
            for each in self._stack()[depth:]:
                self.abandon(each)
            raise

    def _lose_step(self, cls: Any, error: Exception, call: OpenFunctionCall | None) -> None:
        """Leave a placeholder for a call that could not be recorded."""
        self._log.report_error("FunctionCallRecorder", error)
        if call is not None:
            self._close(call)
        step = None if call is None else call.facts.step
        self._log.put_missing_step(class_name(cls), error, self._thread_states.pass_id(), step)

    def _begin(
        self,
        cls: Any,
        args: tuple[Any, ...],
        kwargs: dict[str, Any],
        frame: FrameType | None,
    ) -> OpenFunctionCall:
        text = read_function_source(cls)
        forward, setup_context, backward = text.codes
        self._sources.adopt(*text.codes)
        targets = names_at(torch.autograd.Function.apply).targets
        call = OpenFunctionCall(
            cls=cls,
            text=text,
            facts=CallFacts(
                self._log.next("call"),
                location=self._sources.at(frame),
                parameters=text.parameters,
                is_open=text.is_open,
                gradients=text.gradients,
                function=class_name(cls),
                once=text.once_differentiable,
                forward=forward,
                setup_context=setup_context,
                backward=backward,
                autocast=compat.is_autocast(),
                nested=compat.functorch_is_active(),
            ),
            definitions=tuple(map(self._sources.first_line, text.codes)),
            started=self._log.now(),
            pass_id=self._thread_states.pass_id(),
            given=len(args) + len(kwargs),
            target=targets[0] if len(targets) == 1 else "",
            differentiable=torch.is_grad_enabled(),
            rerun=is_rerun(frame),
        )
        self._log.put(self._call_record(call))
        call.facts.step = self._log.begin(lambda: self._unfinished(call))
        self._stack().append(call)
        self._thread_states.current().steps.append((call.facts.step, None))
        self._compiled_code.report(call.facts.step)
        self._rules.source.begun(call.facts, partial(method_codes, cls, text))
        if not hasattr(cls.forward, "__gradviz_original__"):
            self._record_apply_arguments(call, args, kwargs)
            self._next_stage(call, "forward")
        return call

    @within_error_boundary
    def enter(
        self, cls_method: str, function: Any, args: tuple[Any, ...]
    ) -> OpenFunctionCall | None:
        """Record the arguments just before ``forward`` or ``setup_context`` runs.

        Returns:
            The call; None if the method does not belong to the innermost open call.
        """
        stack = self._stack()
        if not stack or not stack[-1].text.owns(cls_method, function):
            return None
        call = stack[-1]
        if call.inside:
            return None  # The method calls itself recursively.
        call.inside = True
        with self._log.lock, disabled_torch_modes():
            if cls_method == "setup_context":
                self._bind_node(call, args[0])
            elif not call.entered:
                self._enter_forward(call, args)
            self._log.mark_changed(call.facts.step)
            if cls_method == "forward":
                self._log.flush_before(call.facts.forward)
            self._next_stage(call, "setup_context" if cls_method == "setup_context" else "forward")
        return call

    def _next_stage(self, call: OpenFunctionCall, stage: StageKind) -> None:
        self._stages.end(call.part)
        call.part = self._stages.begin(stage, call.facts.step, runs_user_code=stage != "save")

    def _enter_forward(self, call: OpenFunctionCall, args: tuple[Any, ...]) -> None:
        call.entered = True
        combined = call.text.style == "combined"
        values = args[1:] if combined else args
        if combined:
            # Defaults of `forward` were not passed to `apply`, so `backward` has no gradients for
            # them.
            values = values[: call.given]
        facts = call.facts
        facts.arguments = call.text.argument_names(len(values))
        facts.tensor_arguments = _tensor_places(values)
        facts.dense_arguments = tuple(
            [i for i in facts.tensor_arguments if values[i].layout is torch.strided]
        )
        for name, value in zip(facts.arguments, values, strict=True):
            if isinstance(value, torch.Tensor) and tensor_compat.grad_fn_of(value) is None:
                self._names.give(value, name)
        call.values = values
        call.arguments = self._tensors.items(facts.arguments, values)
        if combined:
            self._bind_node(call, args[0])
        call.watch = TensorVersionWatch(self._tensors, values)
        if call.differentiable:
            self._rules.entered(facts, nested_arguments(values))

    def _record_apply_arguments(
        self, call: OpenFunctionCall, args: tuple[Any, ...], kwargs: dict[str, Any]
    ) -> None:
        """Record the arguments of ``apply`` where ``forward`` could not be wrapped."""
        facts = call.facts
        values = (*args, *kwargs.values())
        facts.arguments = (*call.text.argument_names(len(args)), *map(printable_text, kwargs))
        facts.tensor_arguments = _tensor_places(values)
        with disabled_torch_modes():
            call.arguments = self._tensors.items(facts.arguments, values)

    def _bind_unseen(self, call: OpenFunctionCall, made: list[Any]) -> None:
        for node in made:
            if (
                getattr(node, "_forward_cls", None) is call.cls
                and self._graph.find_node_number(node) is None
            ):
                self._bind_node(call, node)
                return

    def _bind_node(self, call: OpenFunctionCall, ctx: Any) -> None:
        call.facts.needs = tuple([bool(need) for need in ctx.needs_input_grad])
        # Empty if no input requires a gradient; the outputs have no grad_fn then.
        if ctx.next_functions and call.facts.node is None:
            self._graph.begin_call(ctx, call.facts)

    @within_error_boundary
    def leave(
        self, call: OpenFunctionCall, cls_method: str, args: tuple[Any, ...], result: Any
    ) -> None:
        """Record what ``forward`` or ``setup_context`` has left on ``ctx``."""
        call.inside = False
        with self._log.lock, disabled_torch_modes():
            if cls_method == "forward":
                if call.watch is not None:
                    call.changed = {
                        position: write_location(call.part, call.values[position])
                        for position in call.watch.changed(call.values)
                    }
                self._rules.returned(call.facts, () if call.part is None else call.part.ops)
            if cls_method != call.text.context_method:
                self._stages.end(call.part)
                return
            if cls_method == "forward":
                values, output = call.values, result
            else:
                values, output = args[1], args[2] if len(args) > 2 else None
            self._read_context(call, args[0], values, _as_tuple(output))
            self._next_stage(call, "save")

    def _read_context(
        self, call: OpenFunctionCall, ctx: Any, values: tuple[Any, ...], outputs: tuple[Any, ...]
    ) -> None:
        call.saved = read_saved(ctx, values, outputs)
        call.attributes = tuple(starmap(self._tensors.item, free_attributes(ctx).items()))
        call.saved_names = call.text.saved_names(len(call.saved))
        returned = ReturnedCall(ctx, values, outputs, call.saved, call.saved_names)
        history = call.histories
        is_constant = None if history is None else history.is_constant
        call.declared = read_declarations(returned, is_constant, autocast=call.facts.autocast)
        self._rules.declared(call.facts, call.declared, call.changed)
        if history is not None:
            code = call.text.codes[0 if call.text.style == "combined" else 1]
            call.facts.stale = find_values_without_history(history, returned, code)

    @within_error_boundary
    def finish(self, call: OpenFunctionCall, result: Any) -> None:
        """Record outputs, node and saved values once ``apply`` has returned."""
        with self._log.lock, disabled_torch_modes():
            failure = attempt(self._log, lambda: self._finish(call, result))
            if failure is not None:
                self._lose_step(call.cls, failure, call)

    def _finish(self, call: OpenFunctionCall, result: Any) -> None:
        outputs = _as_tuple(result)
        many = [f"output {at}" for at in range(len(outputs))]
        names = many if isinstance(result, tuple) else ["output"]
        call.outputs = self._tensors.items(tuple(names), outputs)
        for each in outputs:
            if isinstance(each, torch.Tensor) and tensor_compat.requires_grad_of(each):
                self._graph.watch(each)
        if call.target and isinstance(result, torch.Tensor):
            self._names.give(result, call.target)
        made = [
            tensor_compat.grad_fn_of(each) for each in outputs if isinstance(each, torch.Tensor)
        ]
        if not call.entered:
            self._bind_unseen(call, made)
        self._graph.discover(made)
        if call.facts.node is None and call.facts.nested:
            numbers = [self._graph.find_node_number(node) for node in made if node is not None]
            call.facts.node = numbers[0] if numbers else None
        places = _tensor_places(outputs)
        call.facts.non_differentiable = tuple(
            [at for at in places if not tensor_compat.requires_grad_of(outputs[at])]
        )
        call.facts.non_tensor_outputs = tuple(
            [at for at in range(len(outputs)) if at not in places]
        )
        if call.facts.node is not None:
            record_saved_slots(self._log, self._tensors, call, outputs)
        self._log.put(self._call_record(call))
        self._stages.end(call.part)
        self._rules.finished(call.facts, self._unmarked_writes(call))
        self._close(call)
        self._log.end(call.facts.step, self._step(call, finished=True))

    @within_error_boundary
    def abandon(self, call: OpenFunctionCall) -> None:
        """Leave the step of a call unfinished, because ``apply`` has raised."""
        with self._log.lock:
            self._close(call)
            self._log.abandon(call.facts.step)

    def _close(self, call: OpenFunctionCall) -> None:
        stack = self._stack()
        if call in stack:
            # Together with calls inside it that an exception has left there.
            del stack[stack.index(call) :]
        self._thread_states.leave(call.facts.step)
        self._stages.close(call.facts.step)
        call.values = ()
        call.saved = ()

    def materialize(self, value: Any) -> None:
        """Note a call of ``ctx.set_materialize_grads``."""
        stack = self._stack()
        if stack:
            stack[-1].materialize = bool(value)

    def _call_record(self, call: OpenFunctionCall) -> FunctionCall:
        text, declared = call.text, call.declared
        forward, setup_context, backward = call.definitions
        return FunctionCall(
            id=call.facts.id,
            function=class_name(call.cls),
            style=text.style,
            node=call.facts.node,
            arguments=call.arguments,
            outputs=call.outputs,
            attributes=call.attributes,
            needs_input_grad=call.facts.needs,
            dirty=declared.dirty,
            # Torch may refuse what has been saved, after outputs were marked that nobody gets.
            non_differentiable=declared.non_differentiable if call.outputs else (),
            materialize_grads=call.materialize,
            once_differentiable=text.once_differentiable,
            forward=forward,
            setup_context=setup_context,
            backward=backward,
        )

    def _unmarked_writes(self, call: OpenFunctionCall) -> list[ArgumentWrite]:
        return [
            ArgumentWrite(each, line, *written_history(call.values[each]))
            for each, line in call.changed.items()
            if each not in call.declared.dirty
        ]

    def _unfinished(self, call: OpenFunctionCall) -> ForwardStep:
        """The step of an open call, once the record of the call says what is known by now."""
        self._log.put(self._call_record(call))
        return self._step(call, finished=False)

    def _step(self, call: OpenFunctionCall, *, finished: bool) -> ForwardStep:
        node = call.facts.node
        return ForwardStep(
            number=call.facts.step,
            finished=finished,
            started_ns=call.started,
            duration_ns=self._log.now() - call.started if finished else 0,
            pass_id=call.pass_id,
            op=class_name(call.cls),
            node=node,
            nodes=() if node is None else (node,),
            call=call.facts.id,
            inputs=call.arguments,
            outputs=call.outputs,
            location=call.facts.location,
            rerun=call.rerun,
        )


def _tensor_places(values: tuple[Any, ...]) -> tuple[int, ...]:
    return tuple([at for at, value in enumerate(values) if isinstance(value, torch.Tensor)])


def _as_tuple(value: Any) -> tuple[Any, ...]:
    return value if isinstance(value, tuple) else (value,)
