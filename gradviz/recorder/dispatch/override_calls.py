"""Recording of calls that types override with ``__torch_function__``, and who answered."""

from __future__ import annotations

from types import CodeType, FunctionType
from typing import Any

import torch

from gradviz.model.item import Item
from gradviz.model.step import AnswerKind, DispatchAnswer, DispatchStep
from gradviz.recorder.call_site_names import (
    CallSite,
    argument_names,
    find_call_site,
    is_written,
)
from gradviz.recorder.compat import disabled_torch_modes
from gradviz.recorder.dispatch.open_override_call import OpenOverrideCall, OverrideAnswerTracer
from gradviz.recorder.error_boundary import within_error_boundary
from gradviz.recorder.forward.forward_steps import ForwardStepRecorder, may_make_node
from gradviz.recorder.recording_context import Recorder, RecordingContext
from gradviz.recorder.run_errors import exception_sentence
from gradviz.recorder.safe_text import class_name, object_text, printable_text, tensors_of
from gradviz.recorder.sources import caller
from gradviz.recorder.tensors import tensor_compat


class OverrideCallRecorder(Recorder):
    """Recorder of one step per overridden call, with the answer of each type that was asked.

    Attributes:
        running: Overridden calls in progress in each thread, innermost last.
    """

    def __init__(self, context: RecordingContext, steps: ForwardStepRecorder) -> None:
        super().__init__(context)
        self._steps = steps
        self.running: dict[int, list[OpenOverrideCall]] = {}

    def _stack(self) -> list[OpenOverrideCall]:
        return self.running.setdefault(self._thread_states.ident(), [])

    @within_error_boundary
    def begin(
        self,
        function: Any,
        kinds: tuple[type, ...],
        args: tuple[Any, ...],
        kwargs: dict[str, Any],
        *,
        inside: bool,
    ) -> OpenOverrideCall | None:
        """Open the step of a torch function that is about to ask types for an answer.

        Args:
            function: The torch function.
            kinds: The types, in the order in which torch asks them.
            args: Positional arguments of the call.
            kwargs: Keyword arguments of the call.
            inside: Whether to record the ops and lines that run while a type answers.
        """
        makes_nodes = inside and torch.is_grad_enabled()
        with self._log.lock, disabled_torch_modes():
            makes_nodes = makes_nodes and may_make_node((*args, *kwargs.values()))
            if makes_nodes and not self._log.announce_pass():
                return None
            if not self._log.accepts_call():
                return None
            site = find_call_site(self._sources, function, args)
            given = argument_names(args, kwargs, site.names)
            for name, value in given:
                if not isinstance(value, torch.Tensor) or not is_written(name, site.names):
                    continue
                if tensor_compat.readable_grad_fn(value) is None:
                    self._names.give(value, name)
            call = OpenOverrideCall(
                step=0,
                function=function,
                name=printable_text(written(function)),
                kinds=kinds,
                started=self._log.now(),
                pass_id=self._thread_states.pass_id(),
                inputs=self._items(given),
                site=site,
            )
            call.step = self._log.begin(lambda: self._step(call, finished=False))
            self._thread_states.current().steps.append((call.step, None))
            self._stack().append(call)
            if inside:
                call.part = self._stages.begin("forward", call.step, runs_user_code=True)
            return call

    def _items(self, values: list[tuple[str, Any]]) -> tuple[Item, ...]:
        """Items for values, each followed by the tensors that it holds."""
        items: list[Item] = []
        for name, value in values:
            item = self._tensors.item(name, value)
            if item.kind == "object":
                item = Item(name=name, kind="object", text=object_text(value))
            items.append(item)
            items += [
                self._tensors.item(f"{name}.{attribute}", held)
                for attribute, held in tensors_of(value)
            ]
        return tuple(items)

    @within_error_boundary
    def begin_answer(self, code: CodeType, args: tuple[Any, ...]) -> OpenOverrideCall | None:
        """Note a call of a ``__torch_function__``; None if torch did not make it.

        Args:
            code: Code of the ``__torch_function__``.
            args: Its positional arguments.
        """
        stack = self._stack()
        # While a type answers, its own code makes such calls, not torch.
        if not stack or stack[-1].answering is not None:
            return None
        call = stack[-1]
        # A class method receives its class first, a static method the function.
        if not any(call.is_of(each) for each in args[:2]):
            return None
        first = args[0] if isinstance(args[0], type) else type(args[0])
        waiting = [kind for kind in call.kinds if kind not in call.answers]
        if not waiting:
            return None
        call.answering = first if first in waiting else waiting[0]
        call.watch = OverrideAnswerTracer(code)
        return call

    @within_error_boundary
    def end_answer(self, call: OpenOverrideCall, result: Any, error: BaseException | None) -> None:
        """Record the answer of the type that was asked, or the exception it raised."""
        kind, watch = call.answering, call.watch
        call.answering = call.watch = None
        if kind is None or watch is None:
            return
        with self._log.lock:
            how, code = _answer(watch, result, error)
            watch.forget()
            call.answers[kind] = DispatchAnswer(
                type=class_name(kind),
                how=how,
                by="" if code is None else printable_text(_name(code)),
                location=self._sources.line(code or watch.code, None),
                error="" if error is None else exception_sentence(error),
            )
            self._log.mark_changed(call.step)

    def answered_by(self, function: Any) -> OpenOverrideCall | None:
        """The overridden call that torch itself answers with this call of the same function.

        To answer, a type may call the same function again: on unwrapped values, or with
        ``__torch_function__`` disabled, as ``torch.Tensor`` does. Returns None for any other call.
        """
        stack = self.running.get(self._thread_states.ident())
        call = stack[-1] if stack else None
        if call is None or call.watch is None or not call.is_of(function):
            return None
        if not tensor_compat.is_torch_function_enabled():
            call.watch.mark_default()
            return call
        frame = caller()
        if frame is not None and frame.f_code is call.watch.code:
            call.watch.mark_fallback()
        return None

    @within_error_boundary
    def note_nodes(
        self,
        call: OpenOverrideCall,
        args: tuple[Any, ...],
        kwargs: dict[str, Any],
        result: Any,
        since: tuple[int, int],
    ) -> None:
        """Record nodes that belong to no inner torch call as a forward step.

        When ``torch.Tensor`` answers, it converts the result back to the subclass, which adds a
        node.

        Args:
            call: The call that has returned.
            args: Its positional arguments.
            kwargs: Its keyword arguments.
            result: What it returned.
            since: Sequence number and clock before the call.
        """
        if call.torch_result is None:
            self._steps.record(call.function, args, kwargs, result, since, site=call.site)
            return
        site = CallSite((), (), call.site.location)
        made = torch.Tensor.as_subclass
        since = since[0], self._log.now()
        self._steps.record(made, (call.torch_result,), {}, result, since, site=site)

    @within_error_boundary
    def finish(self, call: OpenOverrideCall, result: Any) -> None:
        """Close the step of a call that has returned."""
        with self._log.lock, disabled_torch_modes():
            targets = call.site.targets
            if len(targets) == 1 and isinstance(result, torch.Tensor) and targets[0]:
                self._names.give(result, targets[0])
            many = isinstance(result, tuple | list) and any(
                isinstance(each, torch.Tensor) for each in result
            )
            named = [(f"output {at}", each) for at, each in enumerate(result)] if many else []
            call.outputs = self._items(named or [("output", result)])
            self._close(call)
            self._log.end(call.step, self._step(call, finished=True))

    @within_error_boundary
    def abandon(self, call: OpenOverrideCall, error: BaseException) -> None:
        """Leave the step of a call unfinished, because the call has raised."""
        with self._log.lock:
            call.error = exception_sentence(error)
            self._close(call)
            self._log.abandon(call.step)

    def _close(self, call: OpenOverrideCall) -> None:
        stack = self._stack()
        if call in stack:
            del stack[stack.index(call) :]
        self._thread_states.leave(call.step)
        self._stages.end(call.part, finished=not call.error)
        self._stages.close(call.step)
        call.torch_result = None

    def _step(self, call: OpenOverrideCall, *, finished: bool) -> DispatchStep:
        return DispatchStep(
            number=call.step,
            finished=finished,
            started_ns=call.started,
            duration_ns=self._log.now() - call.started if finished else 0,
            pass_id=call.pass_id,
            function=call.name,
            types=tuple([class_name(kind) for kind in call.kinds]),
            answers=_answers(call, over=finished),
            inputs=call.inputs,
            outputs=call.outputs,
            location=call.site.location,
            error=call.error,
        )


def _answer(
    watch: OverrideAnswerTracer, result: Any, error: BaseException | None
) -> tuple[AnswerKind, CodeType | None]:
    if error is not None:
        return "raised", watch.raiser(error)
    if result is NotImplemented:
        return "not_implemented", None
    if watch.is_default:
        return "default", None
    if watch.is_fallback:
        return "fallback", None
    return ("unseen", None) if watch.profiler_active else ("handler", watch.handler(result))


def _answers(call: OpenOverrideCall, *, over: bool) -> tuple[DispatchAnswer, ...]:
    """Answers in order, including those of torch's default protocol, which is not wrapped."""
    answers: list[DispatchAnswer] = []
    for kind in call.kinds:
        answer = call.answers.get(kind)
        if answer is not None:
            answers.append(answer)
        elif tensor_compat.has_default_torch_function(kind) and (over or _later(call, kind)):
            # `torch.Tensor.__torch_function__` does the same: its class must derive from all the
            # types.
            refuses = not all(type.__subclasscheck__(other, kind) for other in call.kinds)
            how: AnswerKind = "not_implemented" if refuses else "default"
            answers.append(
                DispatchAnswer(type=class_name(kind), how=how, by="", location=None, error="")
            )
        else:
            break
        if answers[-1].how != "not_implemented":
            break
    return tuple(answers)


def _later(call: OpenOverrideCall, kind: type) -> bool:
    """Whether torch has already asked a type that comes after this one."""
    return any(each in call.answers for each in call.kinds[call.kinds.index(kind) + 1 :])


def _name(code: CodeType) -> str:
    name: str = getattr(code, "co_qualname", code.co_name)
    return name.rpartition("<locals>.")[2]


def written(function: Any) -> str:
    """Public name of a torch function, like ``torch.mean`` or ``torch.Tensor.shape``."""
    name: str | None = torch.overrides.resolve_name(function)
    if name is None and isinstance(function, FunctionType):
        return f"{function.__module__}.{function.__qualname__}"
    if name is None:
        return str(getattr(function, "__name__", type(function).__name__))
    return (
        name.removesuffix(".__get__")
        .removesuffix(".__set__")
        .replace("torch.functional.", "torch.")
    )
