"""Rules on what ``forward`` saves for ``backward``, and how ``backward`` reads it."""

from __future__ import annotations

import ast
from collections import Counter
from collections.abc import Iterator

from gradviz.linter.function_class import FunctionClass, FunctionMethod, variable_name
from gradviz.linter.returned_gradients import is_none, returned_members
from gradviz.linter.saved_values import SavedValues
from gradviz.linter.violation import Violation


def tensor_on_ctx(function: FunctionClass) -> Iterator[Violation]:
    """Yield each attribute of the context that is certainly given a tensor."""
    method, reader = function.saving, function.backward
    if method is None:
        return
    is_once = reader is not None and reader.is_declared("once_differentiable")
    for line, name, kind in SavedValues(function=function, method=method).attributes():
        # Torch refuses to assign this one, which is another rule.
        if name != "saved_tensors" and not (is_once and kind in ("computed", "constant")):
            yield Violation(method, line, "", {"name": name})


def tensor_on_class(function: FunctionClass) -> Iterator[Violation]:
    """Yield each assignment of a tensor to the class or a global variable, where calls share it."""
    method = function.saving
    if method is None:
        return
    declared = {
        name for node in method.nodes() if isinstance(node, ast.Global) for name in node.names
    }
    for target, _ in SavedValues(function=function, method=method).stores():
        match target:
            case ast.Attribute(value=ast.Name(id=function.name)):
                name = ast.unparse(target)
            case ast.Name(id=name) if name in declared:
                pass
            case _:
                continue
        yield Violation(method, target.lineno, values={"name": name})


def saved_intermediate(function: FunctionClass) -> Iterator[Violation]:
    """Yield each saved value that is certainly computed from inputs, or a view of one."""
    method, reader = function.saving, function.backward
    # Without a double backward, a saved intermediate value does no harm.
    if method is None or reader is None or reader.is_declared("once_differentiable"):
        return
    outputs = _returned_names(function)
    for each, kind, origin in SavedValues(function=function, method=method).saved() or ():
        text = ast.unparse(each)
        if text in outputs or kind not in ("computed", "view"):
            continue
        (line,) = (call.lineno for call in method.context_calls("save_for_backward"))
        values = {"name": text} | ({"argument": origin} if kind == "view" else {})
        variant = "view" if kind == "view" else ""
        yield Violation(method, line, variant, values)


def _returned_names(function: FunctionClass) -> frozenset[str]:
    """Names of what ``forward`` returns."""
    nodes = () if function.forward is None else function.forward.nodes()
    return frozenset(
        each.id
        for node in nodes
        if isinstance(node, ast.Return)
        for each in returned_members(node.value)
        if isinstance(each, ast.Name)
    )


def saved_twice(function: FunctionClass) -> Iterator[Violation]:
    """Yield the second ``save_for_backward`` on a path through the method that saves."""
    method = function.saving
    if method is None:
        return
    calls = _longest_path(method, method.node.body)
    if len(calls) > 1:
        yield Violation(method, calls[1].lineno)


def _longest_path(method: FunctionMethod, body: list[ast.stmt]) -> list[ast.Call]:
    """The calls on the path that has most of them."""
    found: list[ast.Call] = []
    for statement in body:
        branches = [
            _longest_path(method, branch)
            for name in ("body", "orelse", "finalbody")
            if (branch := getattr(statement, name, []))
        ]
        heads = [each for each in ast.iter_child_nodes(statement) if isinstance(each, ast.expr)]
        found += [
            node
            for head in heads
            for node in ast.walk(head)
            if isinstance(node, ast.Call) and method.is_context(node.func, "save_for_backward")
        ]
        longest = _longest(branches)
        found += longest
        if isinstance(statement, ast.For | ast.While) and _repeats(statement):
            # The second iteration calls it again.
            found += longest
        if isinstance(statement, ast.Return | ast.Raise):
            break
        if isinstance(statement, ast.If) and found and _always_leaves(statement.body):
            # The path through this branch ends here; the other one goes on without its calls.
            rest = _longest_path(method, body[body.index(statement) + 1 :])
            return _longest([found, rest])
    return found


def _longest(paths: list[list[ast.Call]]) -> list[ast.Call]:
    return next((each for each in paths if len(each) == max(map(len, paths))), [])


def _repeats(loop: ast.For | ast.While) -> bool:
    """Whether nothing in a loop can end it early."""
    ends = ast.Break | ast.Return | ast.Raise
    return not any(isinstance(node, ends) for node in ast.walk(loop))


def _always_leaves(body: list[ast.stmt]) -> bool:
    return isinstance(body[-1], ast.Return | ast.Raise)


def saved_unused(function: FunctionClass) -> Iterator[Violation]:
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
        yield Violation(saving, calls[0].lineno, values={"reader": reader.name})
    for statement in reader.nodes():
        if isinstance(statement, ast.Assign) and (
            reader.is_context(statement.value, "saved_tensors")
            or variable_name(statement.value) in _packs(reader)
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
        if reads[name := variable_name(node.targets[0])] == 1
    )


def _unused_names(reader: FunctionMethod, statement: ast.Assign) -> Iterator[Violation]:
    target = statement.targets[0]
    if len(statement.targets) > 1 or not isinstance(target, ast.Tuple | ast.List):
        return
    for each in target.elts:
        # By convention, a name that begins with an underscore is left unused on purpose.
        if isinstance(each, ast.Name) and not each.id.startswith("_") and not reader.reads(each.id):
            yield Violation(reader, each.lineno, "source.name", {"name": each.id})


def saved_tensors_in_forward(function: FunctionClass) -> Iterator[Violation]:
    """Yield the first ``saved_tensors`` in the method that saves, where it is still empty."""
    method = function.saving
    if method is None:
        return
    for node in method.nodes():
        if isinstance(node, ast.Attribute) and method.is_context(node, "saved_tensors"):
            variant = "source" if isinstance(node.ctx, ast.Load) else "assigned"
            yield Violation(method, node.lineno, variant)
            return


def saved_count(function: FunctionClass) -> Iterator[Violation]:
    """Yield each place that unpacks another number of tensors, or reads one beyond the last."""
    saving, reader = function.saving, function.backward
    if saving is None or reader is None:
        return
    saved = SavedValues(function=function, method=saving).saved_count()
    if saved is None or reader.passes_context_on():
        return
    for line, count in _wrong_reads(reader, saved):
        values = {"count": str(count), "saved": str(saved), "saver": saving.name}
        yield Violation(reader, line, values=values)


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


_OWN = frozenset(
    {"saved_tensors", "saved_variables", "needs_input_grad", "save_for_backward", "mark_dirty"}
    | {"save_for_forward", "mark_non_differentiable", "mark_shared_storage", "non_differentiable"}
    | {"set_materialize_grads", "materialize_grads", "dirty_tensors", "to_save", "metadata", "name"}
    | {"next_functions", "register_hook", "register_prehook", "maybe_clear_saved_tensors", "apply"}
    | {"saved_for_forward", "apply_jvp", "vjp", "backward", "forward", "jvp", "vmap"}
    | {"setup_context", "generate_vmap_rule"}
)
"""What torch's context has itself."""


def context_attribute_missing(function: FunctionClass) -> Iterator[Violation]:
    """Yield the first read by ``backward`` of each attribute of the context that nothing sets."""
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
            yield Violation(reader, node.lineno, values={"name": name, "saver": saving.name})


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


_MOST_TEXT = 40


def setup_context_computes(function: FunctionClass) -> Iterator[Violation]:
    """Yield computed arguments of ``save_for_backward``."""
    method = function.methods.get("setup_context")
    if method is None:
        return
    computed = dict(_products(method))
    for node in method.context_calls("save_for_backward"):
        for each in node.args:
            # What is computed here has no history, so a double backward through it is silently
            # wrong.
            value = computed.get(each.id) if isinstance(each, ast.Name) else each
            if isinstance(value, ast.BinOp | ast.Call):
                text = ast.unparse(each)[:_MOST_TEXT]
                yield Violation(method, each.lineno, values={"text": text})


def _products(method: FunctionMethod) -> Iterator[tuple[str, ast.BinOp]]:
    """Names of what an operator computes: a call may only convert or unpack an input."""
    for node in method.nodes():
        if isinstance(node, ast.Assign) and isinstance(node.value, ast.BinOp):
            yield from ((e.id, node.value) for e in node.targets if isinstance(e, ast.Name))
