"""Rules on the gradients that ``backward`` receives and returns."""

from __future__ import annotations

import ast
from collections.abc import Iterator

from gradviz.linter.function_class import FunctionClass, FunctionMethod
from gradviz.linter.return_flow import ReturnFlow, no_grad_calls
from gradviz.linter.returned_gradients import is_none, returned_gradients
from gradviz.linter.saved_values import CONSTANT_CALLS, SavedValues, last_name
from gradviz.linter.violation import Violation
from gradviz.text.gradient_counts import gradient_count, input_count


def missing_gradient(function: FunctionClass) -> Iterator[Violation]:
    """Yield the last ``return`` with None for an input whose gradient is asked for or computed.

    An input that never has a gradient, such as a mask, gets None as well; so None alone says
    nothing.
    """
    method, inputs = function.backward, function.inputs
    returns = list(returned_gradients(function))
    if method is None or not inputs or not returns:
        return
    if any(len(values) < len(inputs) for _, values in returns):
        return
    missing = [
        position
        for position in range(len(inputs))
        if all(is_none(values[position]) for _, values in returns)
    ]
    asked = _asked_for(method)
    line, _ = returns[-1]
    unreturned = next(_unreturned(method), "")
    for position in missing:
        name = inputs[position]
        if position in asked:
            yield Violation(method, line, "asked", {"name": name, "index": str(position)})
        elif unreturned and len(missing) == 1:
            yield Violation(method, line, "computed", {"name": name, "value": unreturned})


def _asked_for(method: FunctionMethod) -> frozenset[int]:
    """Indices at which ``backward`` reads ``ctx.needs_input_grad``."""
    return frozenset(
        node.slice.value
        for node in method.nodes()
        if isinstance(node, ast.Subscript)
        and method.is_context(node.value, "needs_input_grad")
        and isinstance(node.slice, ast.Constant)
        and isinstance(node.slice.value, int)
    )


def _unreturned(method: FunctionMethod) -> Iterator[str]:
    """Names that receive something computed from an incoming gradient and are never read."""
    gradients = {*method.parameters[1:], method.star}
    for node in method.nodes():
        if not isinstance(node, ast.Assign) or not isinstance(node.value, ast.BinOp | ast.Call):
            continue
        reads = {each.id for each in ast.walk(node.value) if isinstance(each, ast.Name)}
        for target in node.targets:
            if isinstance(target, ast.Name) and not method.reads(target.id) and reads & gradients:
                yield target.id


def wrong_gradient_count(function: FunctionClass) -> Iterator[Violation]:
    """Yield returns with too few values, or with gradients beyond the inputs."""
    for method, line, values, inputs in _returns(function):
        if len(values) < len(inputs) or not all(map(is_none, values[len(inputs) :])):
            yield _violation(method, line, values, inputs)


def surplus_none(function: FunctionClass) -> Iterator[Violation]:
    """Yield returns with Nones beyond the inputs, unless another Function may need them."""
    for method, line, values, inputs in _returns(function):
        counts = [each.inputs for each in function.sharing]
        if any(each is None or len(each) > len(inputs) for each in counts):
            continue
        # A mixin that is not a Function itself is made to be shared, also with other files.
        if function.is_inherited(method):
            continue
        if len(values) > len(inputs) and all(map(is_none, values[len(inputs) :])):
            yield _violation(method, line, values, inputs)


def _violation(
    method: FunctionMethod, line: int, values: list[ast.expr], inputs: tuple[str, ...]
) -> Violation:
    counts = {
        "count": gradient_count(len(values)),
        "arguments": input_count(len(inputs), inputs),
    }
    return Violation(method, line, "", counts)


def _returns(
    function: FunctionClass,
) -> Iterator[tuple[FunctionMethod, int, list[ast.expr], tuple[str, ...]]]:
    method, inputs = function.backward, function.inputs
    if method is not None and inputs is not None:
        for line, values in returned_gradients(function):
            yield method, line, values, inputs


_ZERO = frozenset({"zeros_like", "zeros", "new_zeros"})


def grad_output_unused(function: FunctionClass) -> Iterator[Violation]:
    """Yield a ``backward`` that returns gradients without using any incoming one."""
    method = function.backward
    if method is None:
        return
    gradients = [*method.parameters[1:], *filter(None, [method.star])]
    if not gradients:
        return
    # Without saved tensors, the gradient may come from elsewhere on purpose.
    saved = any(method.is_context(node, "saved_tensors") for node in method.nodes())
    if saved and _returns_gradients(method) and not any(map(method.reads, gradients)):
        yield Violation(method, method.node.lineno, values={"name": gradients[0]})


def _returns_gradients(method: FunctionMethod) -> bool:
    """Whether something other than None and zeros is returned: a zero derivative needs nothing."""
    return any(
        isinstance(node, ast.Return)
        and node.value is not None
        and any(map(_is_gradient, _members(node.value)))
        for node in method.nodes()
    )


def _members(value: ast.expr) -> list[ast.expr]:
    return value.elts if isinstance(value, ast.Tuple | ast.List) else [value]


def _is_gradient(value: ast.expr) -> bool:
    if isinstance(value, ast.Call) and isinstance(value.func, ast.Attribute):
        return value.func.attr not in _ZERO
    # What a list holds that is converted to a tuple cannot be read from the return.
    is_converted = isinstance(value, ast.Call) and ast.unparse(value.func) in ("tuple", "list")
    return not is_converted and any(isinstance(each, ast.Name) for each in ast.walk(value))


def undefined_gradient_unhandled(function: FunctionClass) -> Iterator[Violation]:
    """Yield the first use of each gradient that is not tested for None."""
    method = function.backward
    if method is None or not _leaves_undefined(function) or _handles_errors(method):
        return
    names = {*_gradients(method)} - _tested(method)
    for node in method.nodes():
        for each in _operands(node):
            if isinstance(each, ast.Name) and each.id in names:
                names.discard(each.id)
                yield Violation(method, each.lineno, values={"name": each.id})


def _leaves_undefined(function: FunctionClass) -> bool:
    """Whether undefined gradients arrive as None."""
    saving = function.saving
    calls = [] if saving is None else saving.context_calls("set_materialize_grads")
    values = [each for call in calls for each in (*call.args, *(k.value for k in call.keywords))]
    return any(isinstance(each, ast.Constant) and each.value is False for each in values)


def _gradients(method: FunctionMethod) -> Iterator[str]:
    yield from method.parameters[1:]
    for node in method.nodes():
        # As in `grad_sum, grad_product = grads`.
        if isinstance(node, ast.Assign) and getattr(node.value, "id", None) == method.star:
            yield from (each.id for each in ast.walk(node.targets[0]) if isinstance(each, ast.Name))


def _handles_errors(method: FunctionMethod) -> bool:
    return any(isinstance(node, ast.Try) for node in method.nodes())


def _tested(method: FunctionMethod) -> set[str]:
    """Names that decide something or are bound again, such as ``g`` in ``g is not None``."""
    found = set()
    for part in method.node.body:
        for node in ast.walk(part):
            match node:
                case ast.If(test=test) | ast.IfExp(test=test) | ast.While(test=test):
                    found |= _names(test)
                case ast.Compare() | ast.BoolOp() | ast.Assert():
                    found |= _names(node)
                case ast.comprehension():
                    # `all(g is None for g in (a, b))` tests what it iterates over.
                    found |= _names(node.iter)
                case ast.Assign():
                    found |= {name for each in node.targets for name in _names(each)}
    return found - set(_star_names(method))


def _star_names(method: FunctionMethod) -> Iterator[str]:
    return (name for name in _gradients(method) if name not in method.parameters)


def _names(root: ast.AST) -> set[str]:
    return {each.id for each in ast.walk(root) if isinstance(each, ast.Name)}


def _operands(node: ast.AST) -> list[ast.expr]:
    """Operands that must not be None: of an operator, or before a dot or bracket."""
    match node:
        case ast.BinOp():
            return [node.left, node.right]
        case ast.UnaryOp(op=ast.USub()):
            return [node.operand]
        case ast.Attribute() | ast.Subscript():
            return [node.value]
        case _:
            return []


def grad_output_count(function: FunctionClass) -> Iterator[Violation]:
    """Yield a ``backward`` that takes another number of gradients."""
    method, outputs = function.backward, _output_count(function)
    if method is None or outputs is None or method.star:
        return
    arguments = method.node.args
    most = len(method.parameters) - 1
    least = most - len(arguments.defaults)
    if not least <= outputs <= most:
        values = {"count": str(most), "outputs": str(outputs)}
        yield Violation(method, method.node.lineno, values=values)


def _output_count(function: FunctionClass) -> int | None:
    """Number of outputs of ``forward``; None if it depends on the path, or cannot be read."""
    forward = function.forward
    if forward is None:
        return None
    counts: set[int | None] = set()
    returned = SavedValues(function=function, method=forward).returned()
    kinds = {id(node): kind for node, kind in returned}
    for node in forward.nodes():
        if isinstance(node, ast.Return):
            value = node.value
            if isinstance(value, ast.Tuple):
                is_open = any(isinstance(each, ast.Starred) for each in value.elts)
                counts.add(None if is_open else len(value.elts))
            else:
                # A name or a call may stand for a tuple, unless it is certainly a tensor.
                counts.add(1 if kinds.get(id(value)) in ("input", "computed", "constant") else None)
    return counts.pop() if len(counts) == 1 else None


def needs_input_grad_index(function: FunctionClass) -> Iterator[Violation]:
    """Yield each constant index that no input has, in any Function that shares the method."""
    method, inputs = function.backward, function.inputs
    counts = [each.inputs for each in function.sharing]
    if method is None or inputs is None or any(each is None for each in counts):
        return
    most = max([len(inputs), *(len(each) for each in counts if each is not None)])
    for node in method.nodes():
        match node:
            case ast.Subscript(value=value, slice=ast.Constant(value=int(index))):
                if method.is_context(value, "needs_input_grad") and index >= most:
                    words = {"index": str(index), "arguments": input_count(len(inputs), inputs)}
                    yield Violation(method, node.lineno, values=words)


def backward_inside_backward(function: FunctionClass) -> Iterator[Violation]:
    """Yield each call of ``backward()`` on a tensor, and of ``torch.autograd.backward``."""
    method = function.backward
    if method is None:
        return
    for statement in method.nodes():
        # What returns something is no `backward()` of a tensor, but perhaps a kernel's function.
        node = statement.value if isinstance(statement, ast.Expr) else None
        if not isinstance(node, ast.Call) or not isinstance(node.func, ast.Attribute):
            continue
        # `Base.backward(ctx, g)` is the method of another Function.
        passes_context = any(getattr(each, "id", "") == method.context for each in node.args)
        is_limited = any(each.arg == "inputs" for each in node.keywords)
        if node.func.attr == "backward" and not passes_context and not is_limited:
            text = f"{ast.unparse(node.func)}()"
            yield Violation(method, node.lineno, values={"text": text})


_LEAVING_CALLS = frozenset({"detach", "numpy", "item", "tolist"})
_ARRAYS = frozenset({"np.asarray", "np.array", "numpy.asarray", "numpy.array"})
# What describes a tensor has no derivative.
_DESCRIPTIONS = CONSTANT_CALLS | frozenset(
    {"shape", "size", "dim", "ndim", "numel", "stride", "dtype", "device", "layout", "len"}
    | {"is_contiguous", "requires_grad"}
)


def missing_once_differentiable(function: FunctionClass) -> Iterator[Violation]:
    """Yield the first value that a ``backward`` takes out of autograd and computes with."""
    method = function.backward
    if method is None or method.is_declared("once_differentiable"):
        return
    tensors = _Tensors(function, method)
    entering = ReturnFlow(method).entering()
    for node in method.nodes():
        text = _leaving(node) if id(node) in entering else ""
        if text and tensors.are_read_in(node):
            yield Violation(method, getattr(node, "lineno", 0), values={"text": text})
            return
    for call, inner in no_grad_calls(method):
        if any(id(node) in entering and tensors.are_read_in(node) for node in inner):
            yield Violation(method, call.lineno, values={"text": f"{ast.unparse(call.func)}()"})
            return


class _Tensors:
    """Incoming gradients, saved tensors with a derivative, and what is computed from them."""

    def __init__(self, function: FunctionClass, method: FunctionMethod) -> None:
        self._method = method
        self._constants = _constant_positions(function)
        self._names = {*method.parameters[1:], method.star} - {""}
        for node in method.nodes():
            if isinstance(node, ast.Assign) and self.are_read_in(node.value):
                for target in node.targets:
                    self._names |= self._assigned(target, node.value)

    def are_read_in(self, root: ast.AST) -> bool:
        """Whether an expression reads elements of such tensors, not only shapes or dtypes."""
        waiting = [root]
        while waiting:
            node = waiting.pop()
            if isinstance(node, ast.Attribute) and node.attr in _DESCRIPTIONS:
                continue
            if isinstance(node, ast.Call) and last_name(node.func) in _DESCRIPTIONS:
                continue
            if isinstance(node, ast.Name) and node.id in self._names:
                return True
            if isinstance(node, ast.Subscript) and self._is_constant(node):
                continue
            if self._method.is_context(node, "saved_tensors"):
                return True
            waiting += ast.iter_child_nodes(node)
        return False

    def _assigned(self, target: ast.expr, value: ast.expr) -> set[str]:
        is_saved = self._method.is_context(value, "saved_tensors")
        if is_saved and isinstance(target, ast.Tuple | ast.List):
            members = [e for k, e in enumerate(target.elts) if k not in self._constants]
        else:
            members = [target]
        names = (node for each in members for node in ast.walk(each))
        return {each.id for each in names if isinstance(each, ast.Name)}

    def _is_constant(self, node: ast.Subscript) -> bool:
        index = getattr(node.slice, "value", None)
        return self._method.is_context(node.value, "saved_tensors") and index in self._constants


def _constant_positions(function: FunctionClass) -> frozenset[int]:
    """Positions of saved tensors without a derivative: masks, indices, and inputs without one."""
    if function.saving is None:
        return frozenset()
    saved = SavedValues(function=function, method=function.saving).saved() or ()
    inputs = function.inputs or ()
    returns = [values for _, values in returned_gradients(function)]
    without = {
        name
        for position, name in enumerate(inputs)
        if returns and all(is_none(value) for each in returns for value in each[position:][:1])
    }
    return frozenset(
        position
        for position, (node, kind, _) in enumerate(saved)
        if kind == "constant" or (isinstance(node, ast.Name) and node.id in without)
    )


def _leaving(node: ast.AST) -> str:
    """How a node leaves autograd, as it is written; empty if it does not."""
    if isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute):
        if ast.unparse(node.func) in _ARRAYS:
            return f"{ast.unparse(node.func)}()"
        return f".{node.func.attr}()" if node.func.attr in _LEAVING_CALLS else ""
    if isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and node.func.id == "float":
        return "float()"
    is_data = isinstance(node, ast.Attribute) and node.attr == "data"
    return ".data" if is_data and isinstance(node.ctx, ast.Load) else ""  # type: ignore[attr-defined]
