"""Tensors that a method is given and changes in place."""

from __future__ import annotations

from collections.abc import Iterator

from gradviz.linter.differentiable_inputs import differentiable_inputs
from gradviz.linter.function_class import FunctionClass
from gradviz.linter.local_aliases import LocalAliases
from gradviz.linter.violation import Violation


def find_grad_output(function: FunctionClass) -> Iterator[Violation]:
    """Yield each statement that writes to an incoming gradient, not to a copy of it."""
    method = function.backward
    if method is None:
        return
    aliases = LocalAliases(method, (*method.parameters[1:], method.star))
    for line, name in aliases.writes():
        yield Violation(method=method, line=line, variant="", values={"name": name})


def find_saved(function: FunctionClass) -> Iterator[Violation]:
    """Yield each statement of ``backward`` that writes to a saved tensor, not to a copy of it."""
    method = function.backward
    if method is None:
        return
    for line, name in LocalAliases(method, (), saved=True).writes():
        yield Violation(method=method, line=line, values={"name": name})


def find_input(function: FunctionClass) -> Iterator[Violation]:
    """Yield each statement of ``forward`` that writes to an input without ``mark_dirty``."""
    method = function.forward
    if method is None or function.marks_dirty:
        return
    inputs = differentiable_inputs(function)
    for line, name in LocalAliases(method, inputs).writes():
        yield Violation(method=method, line=line, variant="plain", values={"name": name})
