"""Which local names of a method share memory with a tensor that it was given."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterable, Iterator
from typing import TypeGuard

from gradviz.linter.function_class import FunctionMethod, variable_name

# Torch's in-place methods end in one underscore; a dunder method does not match.
_IN_PLACE = re.compile(r"[a-z]\w*[a-z0-9]_")
# Those that change a shape leave the elements as they are; on a view, nobody else sees it.
_HARMLESS = frozenset(
    {"requires_grad_", "retain_grad_", "detach_", "unsqueeze_", "squeeze_", "t_", "transpose_"}
)
_MODULES = frozenset({"torch", "F", "nn"})
_ARRAY_MODULES = frozenset({"np", "numpy"})
_VIEW_ATTRIBUTES = frozenset({"data", "T", "mT"})
# A contiguous gradient is returned itself by contiguous().
_VIEWS = frozenset(
    {"contiguous", "detach", "view", "view_as", "t", "transpose", "permute", "unsqueeze"}
    | {"squeeze", "flatten", "narrow", "select", "numpy", "reshape", "expand", "expand_as"}
    | {"diagonal", "movedim", "swapaxes", "swapdims", "unfold", "unflatten"}
)
_UNRELATED = ast.FunctionDef | ast.AsyncFunctionDef | ast.Lambda | ast.ClassDef


class LocalAliases:
    """Names in a method that stand for given tensors or for views of them.

    Attributes:
        origins: What each name stands for at the current statement: the name of the given tensor.
    """

    def __init__(
        self,
        method: FunctionMethod,
        names: Iterable[str],
        *,
        saved: bool = False,
        copies: frozenset[str] = frozenset(),
    ) -> None:
        """Begin with the parameters.

        Args:
            method: The method.
            names: Parameters that receive the tensors; ``*args`` is one that holds several.
            saved: Whether ``ctx.saved_tensors`` holds such tensors too.
            copies: Methods of tensors whose result counts as another tensor.
        """
        self._method = method
        self.origins = {name: name for name in names if name}
        self._packs = {method.star} & self.origins.keys()
        self._saved = saved
        self._views = _VIEWS - copies
        self._view_attributes = _VIEW_ATTRIBUTES - copies

    def writes(self) -> Iterator[tuple[int, str]]:
        """Yield line and given tensor of each write in place, from top to bottom."""
        for statement in self.statements():
            for node in _own_nodes(statement):
                name = self._written(node)
                if name in self.origins:
                    yield getattr(node, "lineno", 0), self.origins[name]

    def statements(self) -> Iterator[ast.stmt]:
        """Yield each statement while `origins` is that before it, on whichever path it is."""
        for node in self._method.nodes():
            if isinstance(node, ast.stmt):
                yield node
                self._rebind(node)

    def origin(self, node: ast.expr) -> str | None:
        """The given tensor whose memory ``g``, ``g[...]`` or ``g.view(-1)`` is, if any."""
        return self.origins.get(self._tensor(node))

    def _rebind(self, statement: ast.stmt) -> None:
        if isinstance(statement, ast.AugAssign):
            return
        for node in _own_nodes(statement):
            if isinstance(node, ast.Name) and isinstance(node.ctx, ast.Store):
                source = self._source(statement, node)
                is_pack = self._is_whole_pack(statement, node)
                self._packs.discard(node.id)
                self.origins.pop(node.id, None)
                if source:
                    self.origins[node.id] = source
                if is_pack:
                    self._packs.add(node.id)

    def _is_whole_pack(self, statement: ast.stmt, name: ast.Name) -> bool:
        """Whether a name is given all saved tensors, not one of them."""
        return (
            isinstance(statement, ast.Assign)
            and name in statement.targets
            and self._is_saved(statement.value)
        )

    def _source(self, statement: ast.stmt, name: ast.Name) -> str | None:
        """The given tensor that a name receives; None if it receives something else."""
        if isinstance(statement, ast.For):
            return self._member(statement.iter, name) if self._is_pack(statement.iter) else None
        if not isinstance(statement, ast.Assign):
            return None
        if self._is_pack(statement.value):
            is_unpacked = name not in statement.targets
            return self._member(statement.value, name) if is_unpacked else None
        return self.origin(statement.value) if name in statement.targets else None

    def _member(self, pack: ast.expr, name: ast.Name) -> str:
        # Gradients have the name of their parameter, saved tensors that of their variable.
        return self.origins.get(variable_name(pack), name.id)

    def _written(self, node: ast.AST) -> str:
        """Name of the tensor that a node changes in place; empty if it changes none."""
        if isinstance(node, ast.AugAssign):
            if self._is_pack(node.target):
                return ""
            target = node.target
            return self._tensor(target.value if isinstance(target, ast.Subscript) else target)
        if isinstance(node, ast.Assign):
            written = [self._tensor(e.value) for e in node.targets if isinstance(e, ast.Subscript)]
            return written[0] if written else ""
        if not isinstance(node, ast.Call):
            return ""
        # For a kernel, `out` may be what forward returned, which it only reads.
        is_torch = ast.unparse(node.func).split(".")[0] in _MODULES | _ARRAY_MODULES
        for keyword in node.keywords:
            if keyword.arg == "out" and is_torch:
                return self._tensor(keyword.value)
        method = node.func
        if not isinstance(method, ast.Attribute) or not _IN_PLACE.fullmatch(method.attr):
            return ""
        if method.attr in _HARMLESS:
            return ""
        # Not the result of a call, as in `torch.pow(x, 2, out=y).mul_(g)`, which only reads `g`.
        is_module = isinstance(method.value, ast.Name | ast.Attribute)
        if is_module and ast.unparse(method.value).split(".")[0] in _MODULES:
            return self._tensor(node.args[0]) if node.args else ""
        return self._tensor(method.value)

    def _is_saved(self, node: ast.AST) -> bool:
        return self._saved and self._method.is_context(node, "saved_tensors")

    def _is_pack(self, node: ast.AST) -> TypeGuard[ast.expr]:
        return self._is_saved(node) or variable_name(node) in self._packs

    def _tensor(self, node: ast.expr) -> str:
        """Name of the tensor whose memory an expression is; empty if unknown."""
        while not isinstance(node, ast.Name):
            if isinstance(node, ast.Subscript):
                if self._is_pack(node.value) and variable_name(node.value) not in self.origins:
                    # Its own origin: no variable stands for it.
                    text = ast.unparse(node)
                    return self.origins.setdefault(text, text)
                if not self._is_pack(node.value) and not _is_basic(node.slice):
                    return ""
                node = node.value
            elif isinstance(node, ast.Attribute) and node.attr in self._view_attributes:
                node = node.value
            elif isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute):
                if node.func.attr not in self._views and not _IN_PLACE.fullmatch(node.func.attr):
                    return ""
                # As a method of the tensor, or as `torch.transpose(g, 0, 1)`.
                is_torch = ast.unparse(node.func.value) in _MODULES and node.args
                node = node.args[0] if is_torch else node.func.value
            else:
                return ""
        return node.id


def _own_nodes(statement: ast.stmt) -> Iterator[ast.AST]:
    """Nodes of a statement without those of the statements in its body."""
    waiting: list[ast.AST] = [statement]
    while waiting:
        node = waiting.pop()
        yield node
        inner = reversed(list(ast.iter_child_nodes(node)))
        waiting += [each for each in inner if not isinstance(each, ast.stmt | _UNRELATED)]


def _is_basic(index: ast.expr) -> bool:
    """Whether indexing with an expression gives a view: a tensor or list of indices copies."""
    parts = index.elts if isinstance(index, ast.Tuple) else [index]
    return all(isinstance(each, ast.Slice | ast.Constant | ast.UnaryOp) for each in parts)
