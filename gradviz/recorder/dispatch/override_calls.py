"""Recording of calls that types override with ``__torch_function__``, and who answered.

State of a call that types override, while it is in progress.
"""

from __future__ import annotations

import sys
from threading import get_ident
from types import CodeType, FrameType, FunctionType
from typing import Any

import torch
from msgspec import Struct, field

from gradviz.model.item import Item
from gradviz.model.step import AnswerKind, DispatchAnswer, DispatchStep
from gradviz.recorder.call_site_names import (
    CallSite,
    WrittenNames,
    argument_names,
    find_call_site,
)
from gradviz.recorder.compat import disabled_torch_modes
from gradviz.recorder.error_boundary import within_error_boundary
from gradviz.recorder.forward.forward_steps import ForwardStepRecorder, may_make_node
from gradviz.recorder.inside.open_stage import OpenStage
from gradviz.recorder.patching.signals import HANDLERS
from gradviz.recorder.recording_context import Recorder, RecordingContext
from gradviz.recorder.run_errors import exception_sentence, frames_of
from gradviz.recorder.safe_text import class_name, object_text, printable_text, tensors_of
from gradviz.recorder.sources import caller, is_hidden
from gradviz.recorder.tensors import tensor_compat
from gradviz.recorder.torch_call import TorchCall
from gradviz.recorder.torch_functions import torch_function
from gradviz.recorder.user_traceback import traceback_of

_OF_TENSOR: CodeType = vars(torch.Tensor)["__torch_function__"].__func__.__code__


class OverrideAnswerTracer:
    """Watches the functions that a ``__torch_function__`` calls while it runs in this thread.

    It uses Python's hook for profilers, and sees nothing while a profiler of the user is active.

    Attributes:
        code: Code of the ``__torch_function__``.
        is_default: Whether it called the one of ``torch.Tensor``, or did the same thing.
        is_fallback: Whether it called the torch function again.
        profiler_active: Whether a profiler of the user was active.
    """

    def __init__(self, code: CodeType) -> None:
        self.code = code
        self.is_default = False
        self.is_fallback = False
        self.profiler_active = False
        self._last: CodeType | None = None
        self._returned: Any = None
        self._before: Any = None
        self._on = False

    def __enter__(self) -> None:
        before = sys.getprofile()
        if before is None or isinstance(getattr(before, "__self__", None), OverrideAnswerTracer):
            self._before = before
            self._on = True
            sys.setprofile(self._notice)
        else:
            self.profiler_active = True

    def __exit__(self, *exception: object) -> None:
        if self._on and getattr(sys.getprofile(), "__self__", None) is self:
            sys.setprofile(self._before)
        self._on = False

    def _notice(self, frame: FrameType, event: str, value: Any) -> None:
        HANDLERS.go_on()
        if event not in ("call", "return"):
            return
        outer = frame.f_back
        if outer is None or outer.f_code is not self.code:
            return
        code = frame.f_code
        if code is _OF_TENSOR:
            self.is_default = True
        elif event == "return" and _is_handler(code):
            self._last, self._returned = code, value

    def handler(self, result: Any) -> CodeType | None:
        """The function that made a result; None if the ``__torch_function__`` did."""
        return self._last if self._last is not None and self._returned is result else None

    def raiser(self, error: BaseException) -> CodeType | None:
        """The function that an exception came through; None if it came through none."""
        codes = [frame.f_code for frame, _ in frames_of(traceback_of(error))]
        if self.code not in codes:
            return None
        below = codes[codes.index(self.code) + 1 :]
        return below[0] if below and _is_handler(below[0]) else None

    def forget(self) -> None:
        """Release the last returned value."""
        self._returned = None


def _is_handler(code: CodeType) -> bool:
    name = code.co_name
    if name.startswith("<") and name != "<lambda>":
        return False
    return name not in ("__init__", "__new__") and not is_hidden(code.co_filename)


class OpenOverrideCall(Struct):
    """A call of a torch function that types override.

    Attributes:
        step: Number of its step.
        function: The torch function.
        name: Its public name.
        kinds: The types, in the order in which torch asks them.
        started: Start in ns since the recording began.
        pass_id: The backward pass in which it is called.
        inputs: Its arguments.
        site: Where it is called.
        part: The stage that is open while a type answers; None if stages are not recorded.
        answers: Answers so far, by type.
        answering: The type that is answering; None between two types.
        watch: Watches what that type's ``__torch_function__`` calls.
        torch_result: torch's own result, before it was converted back to the subclass.
        outputs: What it has returned.
        error: The exception that it raised; empty if none.
    """

    step: int
    function: Any
    name: str
    kinds: tuple[type, ...]
    started: int
    pass_id: int | None
    inputs: tuple[Item, ...]
    site: CallSite
    part: OpenStage | None = None
    answers: dict[type, DispatchAnswer] = field(default_factory=dict)
    answering: type | None = None
    watch: OverrideAnswerTracer | None = None
    torch_result: Any = None
    outputs: tuple[Item, ...] = ()
    error: str = ""

    def is_of(self, function: Any) -> bool:
        """Whether this is a call of ``function``."""
        # Each access to ``Tensor.shape.__get__`` creates another object.
        return function is self.function or (
            type(function) is type(self.function) is _METHOD_WRAPPER and function == self.function
        )


_METHOD_WRAPPER = type(object().__str__)


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
        return self.running.setdefault(get_ident(), [])

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
            known = torch_function(function)
            site = find_call_site(self._sources, known.function, args)
            given = argument_names(args, kwargs, site.written)
            for name, value in given:
                if not isinstance(value, torch.Tensor) or not site.includes(name):
                    continue
                if tensor_compat.readable_grad_fn(value) is None:
                    self._names.give(value, name)
            call = OpenOverrideCall(
                step=0,
                function=function,
                name=printable_text(written(known.function)),
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
        if not any(map(call.is_of, args[:2])):
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
        stack = self.running.get(get_ident())
        call = stack[-1] if stack else None
        if call is None or call.watch is None or not call.is_of(function):
            return None
        if not tensor_compat.is_torch_function_enabled():
            call.watch.is_default = True
            return call
        frame = caller()
        if frame is not None and frame.f_code is call.watch.code:
            call.watch.is_fallback = True
        return None

    @within_error_boundary
    def note_nodes(self, call: OpenOverrideCall, torch_call: TorchCall) -> None:
        """Record nodes that belong to no inner torch call as a forward step.

        When ``torch.Tensor`` answers, it converts the result back to the subclass, which adds a
        node.

        Args:
            call: The call that has returned.
            torch_call: The same, with its arguments and result.
        """
        torch_call.site = call.site
        if call.torch_result is not None:
            torch_call.known, torch_call.kwargs = torch_function(torch.Tensor.as_subclass), {}
            torch_call.args, torch_call.started = (call.torch_result,), self._log.now()
            torch_call.site = CallSite(WrittenNames(), call.site.location)
        self._steps.record(torch_call)

    @within_error_boundary
    def finish(self, call: OpenOverrideCall, result: Any) -> None:
        """Close the step of a call that has returned."""
        with self._log.lock, disabled_torch_modes():
            targets = call.site.written.targets
            if len(targets) == 1 and isinstance(result, torch.Tensor) and targets[0]:
                self._names.give(result, targets[0])
            values = result if isinstance(result, tuple | list) else ()
            many = [each for each in values if isinstance(each, torch.Tensor)]
            named = [(f"output {at}", each) for at, each in enumerate(values)] if many else []
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
            others = [each for each in call.kinds if not type.__subclasscheck__(each, kind)]
            how: AnswerKind = "not_implemented" if others else "default"
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
    return not call.answers.keys().isdisjoint(call.kinds[call.kinds.index(kind) + 1 :])


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
