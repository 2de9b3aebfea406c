"""``backward`` reads an attribute of the context that nothing sets."""

from __future__ import annotations

import ast
from collections.abc import Iterator

from gradviz.linter.function_class import FunctionClass, FunctionMethod
from gradviz.linter.violation import Violation

_OWN = frozenset(
    {"saved_tensors", "saved_variables", "needs_input_grad", "save_for_backward", "mark_dirty"}
    | {"save_for_forward", "mark_non_differentiable", "mark_shared_storage", "non_differentiable"}
    | {"set_materialize_grads", "materialize_grads", "dirty_tensors", "to_save", "metadata", "name"}
    | {"next_functions", "register_hook", "register_prehook", "maybe_clear_saved_tensors", "apply"}
    | {"saved_for_forward", "apply_jvp", "vjp", "backward", "forward", "jvp", "vmap"}
    | {"setup_context", "generate_vmap_rule"}
)
"""What torch's context has itself."""


def find(function: FunctionClass) -> Iterator[Violation]:
    """Yield the first read of each missing attribute."""
    reader, saving = function.backward, function.saving
    if reader is None or saving is None or not _is_closed(function, reader):
        return
    # A base class may take the context as another parameter than the first.
    known = {
        node.attr
        for method in function.methods.values()
        for node in ast.walk(method.node)
        if isinstance(node, ast.Attribute) and not isinstance(node.ctx, ast.Load)
    }
    for node in _attributes(reader):
        name = node.attr
        if name not in known and name not in _OWN and not name.startswith("_"):
            known.add(name)
            values = {"name": name, "saver": saving.name}
            yield Violation(method=reader, line=node.lineno, values=values)


def _is_closed(function: FunctionClass, reader: FunctionMethod) -> bool:
    """Whether nothing else can set attributes, and nothing handles that one is missing."""
    passed = any(each.passes_context_on() for each in function.methods.values())
    return not passed and not any(isinstance(node, ast.Try) for node in reader.nodes())


def _attributes(method: FunctionMethod) -> Iterator[ast.Attribute]:
    """Yield the attributes of the context, inner functions included."""
    for part in method.node.body:
        for node in ast.walk(part):
            match node:
                case ast.Attribute(value=ast.Name(id=method.context)):
                    yield node
