"""Detection of tensors that forward uses although they are not arguments of the Function."""

from __future__ import annotations

from typing import Any

import torch

from gradviz.catalogue.messages import say
from gradviz.recorder.call_site_names import argument_names, names_at
from gradviz.recorder.finding_reporter import FindingReporter
from gradviz.recorder.forward.lost_history import MethodHistory, address_of
from gradviz.recorder.forward.nested_tensors import nested_tensors
from gradviz.recorder.forward.open_function_call import (
    CallFacts,
    CapturedTensor,
    OpenFunctionCall,
)
from gradviz.recorder.sources import caller, current_line
from gradviz.recorder.tensor_names import TensorNames
from gradviz.recorder.tensors import tensor_compat
from gradviz.recorder.torch_call import TorchCall

_READ_NO_ELEMENTS = frozenset(
    ("detach", "dim", "size", "stride", "numel", "requires_grad_", "type")
)
"""Functions that use no elements of a tensor, or say that its history is not wanted."""

_IGNORED = _READ_NO_ELEMENTS | {"__get__", "__set__"}


class ForwardHistory(MethodHistory, kw_only=True):
    """The history of a call of ``apply``.

    Attributes:
        call: The call.
        captured: Tensors that require grad and that forward uses, but not as arguments.
    """

    call: OpenFunctionCall
    captured: list[CapturedTensor]


class CapturedTensorFinder:
    """Finds tensors in the torch calls of a running forward.

    Call with the log's lock held, inside `disabled_torch_modes`.
    """

    def __init__(self, names: TensorNames) -> None:
        self._names = names

    def called(self, method: ForwardHistory, call: TorchCall) -> None:
        """Note the tensors that require grad among the arguments of a torch function."""
        if getattr(call.function, "__name__", "") in _IGNORED:
            return
        # Most calls have none, and reading names from the source takes far longer than this.
        if not _foreign(method, call.values):
            return
        frame = caller()
        names = names_at(call.function, call.args)
        for name, value in argument_names(call.args, call.kwargs, names):
            for tensor in _foreign(method, (value,)):
                known = "" if name.startswith("input") else name
                known = known or self._names.find_leaf_name(tensor)
                known = known or say("finding.captured_tensor.shape", shape=list(tensor.shape))
                found = CapturedTensor(name=known, line=current_line(frame))
                if found not in method.captured:
                    method.captured.append(found)


def report_captured_tensors(reporter: FindingReporter, call: CallFacts) -> None:
    """Report the captured tensors of a call, once it is clear that no gradient reaches them.

    That is so if it has no node, or when its backward has run without a pass of its own, as that of
    a checkpoint starts.
    """
    for each in call.captured:
        line = None if each.line is None else reporter.line(*each.line)
        reporter.report_in_method(
            call.function,
            "forward",
            "captured_tensor",
            "warning",
            line,
            step=call.step,
            node=call.node,
            name=each.name,
        )


def _foreign(method: ForwardHistory, values: tuple[Any, ...]) -> list[torch.Tensor]:
    """Tensors that require grad, but are no arguments of the call and not made by it."""
    found: list[torch.Tensor] = []
    given: set[int] | None = None
    passed = method.call.values
    for value in values:
        for tensor in nested_tensors(value, 1):
            if not tensor_compat.requires_grad_of(tensor) or id(tensor) in map(id, passed):
                continue
            if tensor_compat.is_wrapped(tensor) or method.has_made(tensor):
                continue
            if given is None:
                arguments = [each for value in passed for each in nested_tensors(value)]
                given = {id(each) for each in arguments} | {address_of(each) for each in arguments}
            if id(tensor) not in given and address_of(tensor) not in given:
                found.append(tensor)
    return found
