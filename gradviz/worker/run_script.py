"""Execution of a call as two lines of source, so that the trace can show them."""

from __future__ import annotations

import keyword
import linecache
from collections.abc import Sequence
from typing import Any

import torch
from torch.autograd import Function

from gradviz.catalogue.messages import say
from gradviz.checks.nested_arguments import tensors_inside
from gradviz.model.inputs import BackwardStart
from gradviz.model.source import BACKWARD_FILE, CALL_FILE
from gradviz.worker.signature import CallTarget, arrange_arguments
from gradviz.worker.user_errors import WorkError


class RunScript:
    """The lines of one run, and the variables that they share."""

    def __init__(self, target: CallTarget, names: Sequence[str], values: Sequence[Any]) -> None:
        self._variables: dict[str, Any] = {"torch": torch}
        self._call = self._call_line(target, names, values)

    def call(self) -> Any:
        """Call the target and return its result."""
        self._run(CALL_FILE, f"output = {self._call}")
        return self._variables["output"]

    def start_backward(self, line: str) -> None:
        """Run the line that starts backward; in it, ``output`` is the result of the call."""
        self._run(BACKWARD_FILE, line)

    def _call_line(self, target: CallTarget, names: Sequence[str], values: Sequence[Any]) -> str:
        positional, keywords = arrange_arguments(target, names, values)
        by_position = [name for name in names if name not in keywords]
        arguments = [
            self._variable(name, value) for name, value in zip(by_position, positional, strict=True)
        ]
        arguments += [f"{name}={self._variable(name, each)}" for name, each in keywords.items()]
        name = self._variable(target.name, target.thing)
        is_function = isinstance(target.thing, type) and issubclass(target.thing, Function)
        return f"{name}{'.apply' if is_function else ''}({', '.join(arguments)})"

    def _variable(self, name: str, value: Any) -> str:
        """Store a value in a variable with a valid, unused name, and return that name."""
        fit = "".join(letter if letter.isalnum() else "_" for letter in name)
        if not fit.isidentifier() or keyword.iskeyword(fit):
            fit = f"argument_{fit}"
        while fit in self._variables or fit == "output":
            fit += "_"
        self._variables[fit] = value
        return fit

    def _run(self, file: str, line: str) -> None:
        # Python, and therefore the recorder, looks here for the text of code that is in no file.
        linecache.cache[file] = (len(line) + 1, None, [line + "\n"], file)
        exec(compile(line, file, "exec"), self._variables)


def backward_line(result: Any, start: BackwardStart) -> tuple[str, str]:
    """The line that starts backward, and a sentence on a choice it makes or an empty text.

    Raises:
        WorkError: If the output does not exist or has no gradient.
    """
    output, name = _pick(result, start.output)
    if not output.requires_grad:
        raise WorkError(_why_no_gradient(output))
    if start.gradient == "sum":
        if not output.dtype.is_complex:
            return f"{name}.sum().backward()", ""
        return f"{name}.sum().real.backward()", say("start.complex")
    kind = "ones_like" if start.gradient == "ones" else "randn_like"
    return f"{name}.backward(torch.{kind}({name}))", ""


def _pick(result: Any, position: int) -> tuple[torch.Tensor, str]:
    outputs = _outputs(result)
    if not 0 <= position < len(outputs):
        key = "start.only_output" if len(outputs) == 1 else "start.no_output"
        raise WorkError(say(key, position=position, count=len(outputs)))
    name, output = outputs[position]
    if not isinstance(output, torch.Tensor):
        raise WorkError(say("start.no_tensor", type=type(output).__name__))
    return output, name


def _outputs(result: Any) -> list[tuple[str, Any]]:
    """What a call returned, one by one, with an expression for each.

    From a dict or dataclass, these are the tensors in it through which a gradient can flow.
    """
    if isinstance(result, tuple | list):
        return [(f"output[{at}]", each) for at, each in enumerate(result)]
    return list(tensors_inside("output", result)) or [("output", result)]


def _why_no_gradient(output: torch.Tensor) -> str:
    if not (output.dtype.is_floating_point or output.dtype.is_complex):
        dtype = str(output.dtype).removeprefix("torch.")
        return say("start.dtype", dtype=dtype)
    return say("start.no_grad")
