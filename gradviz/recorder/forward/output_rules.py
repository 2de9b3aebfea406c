"""Detection of rules broken by what the forward of a custom Function returns."""

from __future__ import annotations

from typing import Any

import torch

from gradviz.catalogue.messages import say
from gradviz.model.finding import Severity
from gradviz.recorder.finding_reporter import FindingReporter, describe_method_location
from gradviz.recorder.forward.ctx_declarations import share_storage
from gradviz.recorder.forward.function_source import return_line, returns_only_inputs
from gradviz.recorder.forward.lost_history import is_number
from gradviz.recorder.forward.open_function_call import OpenFunctionCall
from gradviz.recorder.safe_text import class_name
from gradviz.recorder.sources import code_of
from gradviz.recorder.tensors import tensor_compat
from gradviz.recorder.tensors.tensor_elements import dtype_name


class OutputRuleChecker:
    """Checks on one call at a time.

    Call with the log's lock held, inside `disabled_torch_modes`.
    """

    def __init__(self, reporter: FindingReporter) -> None:
        self._reporter = reporter

    def declared(self, call: OpenFunctionCall, outputs: tuple[Any, ...]) -> None:
        """Check the values that ``forward`` has returned, with what was declared on ``ctx``."""
        for position, output in enumerate(outputs):
            if isinstance(output, torch.Tensor):
                self._check_tensor(call, position, output)
            elif type(output) in (list, dict, set) and _has_number(output):
                kind = class_name(type(output))
                self._report(call, "outputs_in_container", "error", kind=kind)

    def _check_tensor(self, call: OpenFunctionCall, position: int, output: torch.Tensor) -> None:
        declared = call.declared
        if not is_number(output) and position not in declared.non_differentiable:
            self._report(
                call,
                "unmarked_output",
                "info",
                position=position,
                dtype=dtype_name(output.dtype),
            )
        changed = {*declared.dirty, *[argument for argument, _ in call.changed]}
        for argument, value in enumerate(call.values):
            if (
                output is value
                and not returns_only_inputs(code_of(call.text.forward))
                and tensor_compat.requires_grad_of(value)
                and argument not in changed
            ):
                name = call.facts.arguments[argument]
                self._report(call, "returned_input", "info", name=name)
            elif argument not in changed and _is_other_view(output, value):
                name = call.facts.arguments[argument]
                self._report(call, "returned_input", "info", variant="view", name=name)

    def _report(
        self,
        call: OpenFunctionCall,
        code: str,
        severity: Severity,
        variant: str = "",
        **words: object,
    ) -> None:
        method = code_of(call.text.forward)
        line = self._reporter.line(method, return_line(method))
        where = describe_method_location(call.facts.function, "forward", line)
        key = ".".join(filter(None, ("finding", code, variant)))
        message = say(key, where=where, function=call.facts.function, **words)
        self._reporter.report(
            code, message, severity, step=call.step, node=call.facts.node, location=line
        )


def _is_other_view(output: torch.Tensor, value: Any) -> bool:
    """Whether an output is a view of an input, and not meant to be one as in ``x.view_as(x)``."""
    return (
        isinstance(value, torch.Tensor)
        and tensor_compat.requires_grad_of(value)
        and output is not value
        and tensor_compat.is_view(output)
        and output.numel() > 0
        and share_storage(output, value)
        and (output.shape, output.stride()) != (value.shape, value.stride())
    )


def _has_number(value: Any) -> bool:
    """Whether a container holds a tensor that could have a gradient."""
    members = value.values() if isinstance(value, dict) else value
    return any(
        isinstance(each, torch.Tensor) and is_number(tensor_compat.unwrap(each)) for each in members
    )
