"""``backward`` never reads a tensor that ``forward`` has saved."""

from __future__ import annotations

import ast
from collections import Counter
from collections.abc import Iterator

from gradviz.linter.function_class import FunctionClass, FunctionMethod
from gradviz.linter.returned_gradients import is_none
from gradviz.linter.violation import Violation


def find(function: FunctionClass) -> Iterator[Violation]:
    """Yield saved tensors that are not read, or not used once unpacked."""
    saving, reader = function.saving, function.backward
    if saving is None or reader is None or reader.passes_context_on():
        return
    calls = saving.context_calls("save_for_backward")
    reads = [
        node
        for node in reader.nodes()
        if any(reader.is_context(node, name) for name in ("saved_tensors", "saved_variables"))
    ]
    # `save_for_backward(None, None)` saves nothing.
    saved = [each for call in calls for each in call.args if not is_none(each)]
    if saved and not reads:
        yield Violation(method=saving, line=calls[0].lineno, values={"reader": reader.name})
    for statement in reader.nodes():
        if isinstance(statement, ast.Assign) and (
            reader.is_context(statement.value, "saved_tensors")
            or _only_name(statement.value) in _packs(reader)
        ):
            yield from _unused_names(reader, statement)


def _packs(reader: FunctionMethod) -> frozenset[str]:
    """Names that stand for all saved tensors, and are read once: to unpack them."""
    reads = Counter(
        node.id
        for part in reader.node.body
        for node in ast.walk(part)
        if isinstance(node, ast.Name) and isinstance(node.ctx, ast.Load)
    )
    return frozenset(
        name
        for node in reader.nodes()
        if isinstance(node, ast.Assign) and reader.is_context(node.value, "saved_tensors")
        if reads[name := _only_name(node.targets[0])] == 1
    )


def _only_name(node: ast.expr) -> str:
    return node.id if isinstance(node, ast.Name) else ""


def _unused_names(reader: FunctionMethod, statement: ast.Assign) -> Iterator[Violation]:
    target = statement.targets[0]
    if len(statement.targets) > 1 or not isinstance(target, ast.Tuple | ast.List):
        return
    for each in target.elts:
        # By convention, a name that begins with an underscore is left unused on purpose.
        if isinstance(each, ast.Name) and not each.id.startswith("_") and not reader.reads(each.id):
            yield Violation(
                method=reader, line=each.lineno, variant="source.name", values={"name": each.id}
            )
