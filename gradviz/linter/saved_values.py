"""What the method that fills the context computes and saves, as far as the source shows."""

from __future__ import annotations

import ast
from collections.abc import Iterator, Mapping
from functools import cached_property
from typing import Literal

from msgspec import Struct, field

from gradviz.linter.function_class import FunctionClass, FunctionMethod, variable_name
from gradviz.linter.returned_gradients import differentiable_inputs, returned_members

ValueKind = Literal["input", "output", "view", "computed", "constant", "tensor"]
"""A tensor: an input or output itself, a view of an input, computed from inputs, without a
derivative, or any of these."""

TORCH_MODULES = frozenset({"torch", "F", "nn", "torch.nn.functional", "functional", "torch.linalg"})
CONSTANT_CALLS = frozenset(
    {"sign", "sgn", "signbit", "heaviside", "floor", "ceil", "round", "trunc", "bool", "long"}
    | {"int", "short", "argmax", "argmin", "argsort", "nonzero", "bincount", "searchsorted"}
    | {"bucketize", "isnan", "isinf", "isfinite", "isclose", "logical_and", "logical_or"}
    | {"logical_not", "logical_xor", "bitwise_and", "bitwise_or", "bitwise_not", "any", "all"}
    | {"eq", "ne", "ge", "gt", "le", "lt", "zeros_like", "ones_like", "empty_like", "full_like"}
    | {"rand_like", "randn_like", "randint_like", "bernoulli", "multinomial", "new_zeros"}
    | {"new_ones", "new_empty", "new_full", "new_tensor"}
)
"""Functions and methods whose result is a tensor without a derivative."""
_COMPUTING_CALLS = frozenset(
    {"abs", "acos", "acosh", "add", "addbmm", "addcdiv", "addcmul", "addmm", "addmv", "amax"}
    | {"amin", "asin", "asinh", "atan", "atan2", "atanh", "baddbmm", "bilinear", "bmm", "cat"}
    | {"clamp", "clamp_max", "clamp_min", "clip", "conv1d", "conv2d", "conv3d", "cos", "cosh"}
    | {"cross", "cumprod", "cumsum", "deg2rad", "det", "diag", "digamma", "dist", "div", "divide"}
    | {"dot", "einsum", "elu", "erf", "erfc", "erfinv", "exp", "exp2", "expm1", "fft", "fmod"}
    | {"gather", "gelu", "hardtanh", "hypot", "ifft", "index_select", "inner", "inverse", "irfft"}
    | {"layer_norm", "leaky_relu", "lerp", "lgamma", "linear", "log", "log10", "log1p", "log2"}
    | {"log_softmax", "logaddexp", "logcumsumexp", "logit", "logsigmoid", "logsumexp"}
    | {"masked_fill", "matmul", "maximum", "mean", "minimum", "mish", "mm", "mul", "multiply", "mv"}
    | {"nan_to_num", "neg", "negative", "norm", "normalize", "outer", "pinverse", "pow", "prod"}
    | {"reciprocal", "relu", "relu6", "remainder", "rfft", "roll", "rsqrt", "scatter_add", "selu"}
    | {"sigmoid", "silu", "sin", "sinc", "sinh", "softmax", "softmin", "softplus", "softsign"}
    | {"sqrt", "square", "stack", "std", "sub", "subtract", "sum", "tan", "tanh", "true_divide"}
    | {"var", "where", "xlogy"}
)
"""Those whose result is a new tensor with a derivative."""
_REDUCTIONS = frozenset({"max", "min", "median"})
"""Those that return one new tensor if they are given nothing else."""
_WITH_INDICES = frozenset(
    {"sort", "topk", "kthvalue", "median", "mode", "max", "min", "cummax", "cummin", "unique"}
)
"""Those that return values and their indices."""
_SAME_OR_COPY = frozenset(
    {"contiguous", "to", "float", "double", "half", "bfloat16", "type_as", "cpu", "cuda", "detach"}
    | {"reshape", "requires_grad_", "flatten", "expand", "expand_as", "squeeze", "clone"}
)
"""Methods that may return the tensor itself, or a tensor that counts as it."""
_VIEWS = frozenset({"view", "t", "transpose", "permute", "unsqueeze", "narrow", "select"})
_VIEW_ATTRIBUTES = frozenset({"T", "mT"})


class SavedValues(Struct, frozen=True, kw_only=True, dict=True):
    """The tensors among the local values of the method that fills the context.

    Only what is certain is known: the result of a user's function, for instance, is not.

    Attributes:
        function: The Function.
        method: Its ``setup_context``, or else ``forward``.
    """

    function: FunctionClass
    method: FunctionMethod
    _viewed: dict[str, str] = field(default_factory=dict)

    def stores(self) -> Iterator[tuple[ast.expr, ValueKind]]:
        """Yield each target of an assignment that is given a tensor, or a lambda with one."""
        for statement, kinds in self._steps:
            if not isinstance(statement, ast.Assign):
                continue
            value = statement.value
            read = {each.id for each in ast.walk(value) if isinstance(each, ast.Name)}
            holds = isinstance(value, ast.Lambda) and not read.isdisjoint(kinds)
            kind = "tensor" if holds else self._kind(value, kinds)
            if kind is not None:
                yield from ((target, kind) for target in statement.targets)

    def attributes(self) -> Iterator[tuple[int, str, ValueKind]]:
        """Yield line, name and value of each attribute of the context that is given a tensor."""
        for target, kind in self.stores():
            if (
                isinstance(target, ast.Attribute)
                and variable_name(target.value) == self.method.context
            ):
                yield target.lineno, target.attr, kind

    def saved_count(self) -> int | None:
        """Number of saved tensors; None if it depends on the path, or cannot be read."""
        calls = self.method.context_calls("save_for_backward")
        straight = [each.value for each in self.method.node.body if isinstance(each, ast.Expr)]
        found = [node for node in self.method.nodes() if isinstance(node, ast.Attribute)]
        saves = [each for each in found if each.attr == "save_for_backward"]
        # Torch refuses to assign; and a base class may take its context as another parameter.
        if len(saves) > len(calls) or any(each.attr == "saved_tensors" for each in found):
            return None
        if not calls:
            return None if self.method.passes_context_on() else 0
        # The last call replaces what the others have saved.
        if any(call not in straight for call in calls) or self.method.passes_context_on():
            return None
        arguments = calls[-1].args
        is_open = any(isinstance(each, ast.Starred) for each in arguments)
        return None if is_open else len(arguments)

    def returned(self) -> Iterator[tuple[ast.expr, ValueKind | None]]:
        """Yield each value that the method returns, alone or in a tuple, with its kind."""
        for statement, kinds in self._steps:
            value = statement.value if isinstance(statement, ast.Return) else None
            for each in returned_members(value):
                yield each, self._kind(each, kinds)

    def saved(self) -> list[tuple[ast.expr, ValueKind | None, str]] | None:
        """Arguments of ``save_for_backward`` with their kinds, and the inputs that views are of.

        Returns:
            None if it is called several times, never, or with a star.
        """
        calls = self.method.context_calls("save_for_backward")
        if len(calls) != 1 or any(isinstance(each, ast.Starred) for each in calls[0].args):
            return None
        for statement, kinds in self._steps:
            if any(node is calls[0] for node in ast.walk(statement)):
                return [
                    (each, self._kind(each, kinds), self._origin(each, kinds))
                    for each in calls[0].args
                ]
        return None

    @cached_property
    def _steps(self) -> list[tuple[ast.stmt, Mapping[str, ValueKind]]]:
        """The innermost statements, each with the kinds of names before it, on any path."""
        kinds: dict[str, ValueKind] = self._given()
        found: list[tuple[ast.stmt, Mapping[str, ValueKind]]] = []
        for node in self.method.nodes():
            if isinstance(node, ast.stmt):
                if not hasattr(node, "body"):
                    found.append((node, dict(kinds)))
                self._bind(node, kinds)
        return found

    def _given(self) -> dict[str, ValueKind]:
        inputs = differentiable_inputs(self.function)
        if self.method.name == "forward":
            return dict.fromkeys(inputs, "input")
        # In `setup_context(ctx, inputs, output)`, inputs get their names when they are unpacked.
        return {self.method.parameters[2]: "output"} if len(self.method.parameters) == 3 else {}

    def _bind(self, statement: ast.stmt, kinds: dict[str, ValueKind]) -> None:
        if isinstance(statement, ast.For | ast.With):
            stores: list[ast.expr] = [statement.target] if isinstance(statement, ast.For) else []
            _forget(stores, kinds)
        if not isinstance(statement, ast.Assign):
            return
        for target in statement.targets:
            if isinstance(target, ast.Name):
                kind = self._kind(statement.value, kinds)
                origin = self._origin(statement.value, kinds)
                _forget([target], kinds)
                if kind:
                    # Another name of an input or output is one, too.
                    kinds[target.id] = kind
                    self._viewed[target.id] = origin
            elif isinstance(target, ast.Tuple | ast.List):
                found = self._unpacked(statement.value, target, kinds)
                _forget([target], kinds)
                kinds |= found

    def _unpacked(
        self, value: ast.expr, target: ast.Tuple | ast.List, kinds: Mapping[str, ValueKind]
    ) -> dict[str, ValueKind]:
        names = [variable_name(each) for each in target.elts]
        parameters = self.method.parameters
        if self.method.name == "setup_context" and variable_name(value) in parameters[1:2]:
            wanted = differentiable_inputs(self.function)
            inputs = self.function.inputs or ()
            pairs = zip(names, inputs, strict=False)
            return {name: "input" for name, each in pairs if name and each in wanted}
        if isinstance(value, ast.Tuple | ast.List) and len(value.elts) == len(names):
            kinds_of = [self._kind(each, kinds) for each in value.elts]
            return {n: kind for n, kind in zip(names, kinds_of, strict=True) if n and kind}
        is_call = isinstance(value, ast.Call) and last_name(value.func) in _WITH_INDICES
        if is_call and len(names) == 2 and names[1]:
            return {names[1]: "constant"}
        return {}

    def _kind(self, node: ast.expr, kinds: Mapping[str, ValueKind]) -> ValueKind | None:
        """The kind of an expression's value; None if it may be no tensor."""
        match node:
            case ast.Name():
                return kinds.get(node.id)
            case ast.UnaryOp(op=ast.Not()):
                return None
            case ast.UnaryOp() | ast.BinOp() | ast.Compare():
                return self._of_operands(node, kinds)
            case ast.Tuple() | ast.List() | ast.Set():
                found = {self._kind(each, kinds) for each in node.elts} - {None}
                return "tensor" if found else None
            case ast.Dict():
                found = {self._kind(each, kinds) for each in node.values} - {None}
                return "tensor" if found else None
            case ast.Attribute(attr=attribute, value=value):
                inner = self._kind(value, kinds) if attribute in _VIEW_ATTRIBUTES else None
                return "view" if inner == "input" else inner
            case ast.Subscript(value=value):
                return self._of_part(node, value, kinds)
            case ast.Call():
                return self._of_call(node, kinds)
            case _:
                return None

    def _of_part(
        self, node: ast.Subscript, value: ast.expr, kinds: Mapping[str, ValueKind]
    ) -> ValueKind | None:
        parameters = self.method.parameters
        if self.method.name == "setup_context" and variable_name(value) in parameters[1:2]:
            inputs, index = self.function.inputs or (), getattr(node.slice, "value", None)
            known = isinstance(index, int) and 0 <= index < len(inputs)
            wanted = differentiable_inputs(self.function)
            return "input" if known and inputs[index or 0] in wanted else None
        inner = self._kind(value, kinds)
        if inner in ("input", "view"):
            # A list or tensor of indices copies, which is no view.
            return "tensor"
        return "constant" if inner == "constant" else inner and "tensor"

    def _of_operands(
        self, node: ast.UnaryOp | ast.BinOp | ast.Compare, kinds: Mapping[str, ValueKind]
    ) -> ValueKind | None:
        match node:
            case ast.Compare():
                # `x is None` and `i in x` are no tensors.
                is_test = any(
                    isinstance(op, ast.Is | ast.IsNot | ast.In | ast.NotIn) for op in node.ops
                )
                parts = [] if is_test else [node.left, *node.comparators]
            case ast.BinOp():
                parts = [node.left, node.right]
            case ast.UnaryOp():
                parts = [node.operand]
        found = {self._kind(each, kinds) for each in parts} - {None}
        if isinstance(node, ast.Compare):
            return "constant" if found else None
        return _combined(found)

    def _of_call(self, node: ast.Call, kinds: Mapping[str, ValueKind]) -> ValueKind | None:
        name = last_name(node.func)
        if not isinstance(node.func, ast.Attribute):
            return None
        is_torch = ast.unparse(node.func.value) in TORCH_MODULES
        receiver = node.args[0] if is_torch and node.args else node.func.value
        inner = self._kind(receiver, kinds)
        others = {self._kind(each, kinds) for each in node.args} - {None}
        if name in CONSTANT_CALLS:
            return "constant" if inner or others else None
        if inner is None and not (is_torch and others):
            return None
        if name in _SAME_OR_COPY:
            return "constant" if inner == "constant" else "tensor"
        if name in _VIEWS:
            return "view" if inner == "input" else inner
        is_alone = not node.keywords and len(node.args) == int(is_torch)
        if name in _COMPUTING_CALLS or (name in _REDUCTIONS and is_alone):
            return _combined({inner, *others} - {None})
        # Another function may return a tuple, or a number.
        return None

    def _origin(self, node: ast.expr, kinds: Mapping[str, ValueKind]) -> str:
        """The input that an expression may be a view of; empty if it is of none."""
        for each in ast.walk(node):
            if isinstance(each, ast.Name) and kinds.get(each.id) == "input":
                return each.id
            if isinstance(each, ast.Name) and kinds.get(each.id) == "view":
                return self._viewed.get(each.id, "")
        return ""


def last_name(function: ast.expr) -> str:
    """The last part of the name of a called function."""
    return str(getattr(function, "attr", getattr(function, "id", "")))


def _combined(kinds: set[ValueKind | None]) -> ValueKind | None:
    """The kind of what is computed from values of such kinds."""
    if kinds & {"input", "output", "view", "computed"}:
        return "computed"
    if "tensor" in kinds:
        return "tensor"
    return "constant" if kinds else None


def _forget(targets: list[ast.expr], kinds: dict[str, ValueKind]) -> None:
    for target in targets:
        for each in ast.walk(target):
            if isinstance(each, ast.Name):
                kinds.pop(each.id, None)
