"""``backward`` reads another number of saved tensors than were saved."""

from __future__ import annotations

import ast
from collections.abc import Iterator

from gradviz.linter.function_class import FunctionClass, FunctionMethod
from gradviz.linter.saved_values import SavedValues
from gradviz.linter.violation import Violation


def find(function: FunctionClass) -> Iterator[Violation]:
    """Yield each place that unpacks another number of tensors, or reads one beyond the last."""
    saving, reader = function.saving, function.backward
    if saving is None or reader is None:
        return
    saved = SavedValues(function=function, method=saving).saved_count()
    if saved is None or reader.passes_context_on():
        return
    for line, count in _wrong_reads(reader, saved):
        values = {"count": str(count), "saved": str(saved), "saver": saving.name}
        yield Violation(method=reader, line=line, values=values)


def _wrong_reads(reader: FunctionMethod, saved: int) -> Iterator[tuple[int, int]]:
    """Yield line and number of tensors of each wrong read."""
    for node in reader.nodes():
        match node:
            case ast.Assign(targets=[ast.Tuple(elts=names) | ast.List(elts=names)], value=value):
                is_open = any(isinstance(each, ast.Starred) for each in names)
                is_read = reader.is_context(value, "saved_tensors")
                if is_read and not is_open and len(names) != saved:
                    yield node.lineno, len(names)
            case ast.Subscript(value=value, slice=ast.Constant(value=int(index))):
                if reader.is_context(value, "saved_tensors") and index >= saved:
                    yield node.lineno, index + 1
