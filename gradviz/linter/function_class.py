"""Custom Functions as their source defines them, found without running it."""

from __future__ import annotations

import ast
from collections.abc import Iterator, Mapping
from dataclasses import dataclass

_SCOPES = (ast.FunctionDef, ast.AsyncFunctionDef, ast.Lambda, ast.ClassDef)
_ENTRY_POINTS = frozenset({"forward", "backward", "vjp", "jvp", "vmap", "setup_context"})


@dataclass(frozen=True, slots=True, kw_only=True)
class FunctionMethod:
    """A method of a custom Function.

    Attributes:
        name: Its name, such as ``backward``.
        node: Its syntax tree.
        wrappers: Functions that wrap it later, as in ``backward = staticmethod(backward)``.
    """

    name: str
    node: ast.FunctionDef
    wrappers: frozenset[str] = frozenset()

    @property
    def parameters(self) -> tuple[str, ...]:
        """Names of the positional parameters, the context included."""
        arguments = self.node.args
        return tuple(each.arg for each in (*arguments.posonlyargs, *arguments.args))

    @property
    def first_line(self) -> int:
        """Its first line in the file, decorators included."""
        return min([self.node.lineno, *(each.lineno for each in self.node.decorator_list)])

    @property
    def star(self) -> str:
        """Name of ``*args``; empty if there is none."""
        return "" if self.node.args.vararg is None else self.node.args.vararg.arg

    @property
    def context(self) -> str:
        """Name of the first parameter, which receives the context; empty if there is none."""
        return self.parameters[0] if self.parameters else ""

    def nodes(self) -> Iterator[ast.AST]:
        """All syntax nodes of the body, inner functions and classes excluded."""
        # Not `ast.walk`, which goes level by level and cannot skip inner scopes.
        waiting: list[ast.AST] = list(reversed(self.node.body))
        while waiting:
            node = waiting.pop()
            if isinstance(node, _SCOPES):
                continue
            yield node
            waiting += reversed(list(ast.iter_child_nodes(node)))

    def is_context(self, node: ast.AST, attribute: str) -> bool:
        """Whether a node reads or calls an attribute of the context, such as ``saved_tensors``."""
        return (
            isinstance(node, ast.Attribute)
            and node.attr == attribute
            and isinstance(node.value, ast.Name)
            and node.value.id == self.context
        )

    def decorators(self) -> tuple[str, ...]:
        """Last parts of the names of its decorators, from top to bottom."""
        return tuple(_last_name(each) for each in self.node.decorator_list)

    def is_declared(self, name: str) -> bool:
        """Whether it is decorated with a function, or wrapped by it later."""
        return name in self.wrappers or name in self.decorators()

    def reads(self, name: str) -> bool:
        """Whether a name is read anywhere in the body, inner functions included."""
        return any(
            isinstance(node, ast.Name) and node.id == name and isinstance(node.ctx, ast.Load)
            for part in self.node.body
            for node in ast.walk(part)
        )


@dataclass(frozen=True, slots=True, kw_only=True)
class FunctionClass:
    """A class derived from ``torch.autograd.Function``.

    Attributes:
        name: Its name.
        node: Its syntax tree.
        methods: Its own methods that torch calls, by name.
    """

    name: str
    node: ast.ClassDef
    methods: Mapping[str, FunctionMethod]

    @property
    def backward(self) -> FunctionMethod | None:
        """Its ``backward`` or ``vjp``; None if there is none."""
        # For torch, `vjp` is another name for `backward`.
        return self.methods.get("backward") or self.methods.get("vjp")

    @property
    def forward(self) -> FunctionMethod | None:
        """Its ``forward``; None if there is none."""
        return self.methods.get("forward")

    @property
    def saving(self) -> FunctionMethod | None:
        """The method that fills the context: ``setup_context``, or else ``forward``."""
        return self.methods.get("setup_context") or self.forward

    @property
    def inputs(self) -> tuple[str, ...] | None:
        """Parameters of ``forward`` that receive the inputs; None if their number is open."""
        forward = self.forward
        # With defaults or a star, each call decides how many gradients are expected.
        if forward is None or forward.star or forward.node.args.defaults:
            return None
        split = "setup_context" in self.methods
        return forward.parameters if split else forward.parameters[1:]


def function_classes(tree: ast.Module) -> tuple[FunctionClass, ...]:
    """The custom Functions that a file defines, from top to bottom."""
    known = {"Function", "InplaceFunction", *_imported_names(tree)}
    wrappers = _wrappers(tree)
    found = []
    for node in ast.walk(tree):
        if not isinstance(node, ast.ClassDef):
            continue
        # The file may import Function under any path; only the last name is certain.
        if known.isdisjoint(map(_last_name, node.bases)):
            continue
        # Classes derived from this one are Functions too.
        known.add(node.name)
        found.append(_function_class(node, wrappers))
    return tuple(sorted(found, key=lambda each: each.node.lineno))


def _imported_names(tree: ast.Module) -> Iterator[str]:
    """Other names of ``Function`` in the file."""
    for node in ast.walk(tree):
        if isinstance(node, ast.ImportFrom) and (node.module or "").startswith("torch.autograd"):
            yield from (
                each.asname for each in node.names if each.name == "Function" and each.asname
            )


def _function_class(node: ast.ClassDef, wrappers: Mapping[str, frozenset[str]]) -> FunctionClass:
    inner = _wrappers(node)
    methods = {
        each.name: FunctionMethod(
            name=each.name,
            node=each,
            wrappers=inner.get(each.name, frozenset())
            | wrappers.get(f"{node.name}.{each.name}", frozenset()),
        )
        for each in node.body
        if isinstance(each, ast.FunctionDef) and each.name in _ENTRY_POINTS
    }
    return FunctionClass(name=node.name, node=node, methods=methods)


def _wrappers(scope: ast.Module | ast.ClassDef) -> dict[str, frozenset[str]]:
    """Functions that the statements of a scope wrap around a name, by that name."""
    found: dict[str, frozenset[str]] = {}
    for node in scope.body:
        if isinstance(node, ast.Assign) and isinstance(node.value, ast.Call):
            names = {
                _last_name(each) for each in ast.walk(node.value) if isinstance(each, ast.Call)
            }
            found |= {ast.unparse(target): frozenset(names) for target in node.targets}
    return found


def _last_name(node: ast.expr) -> str:
    if isinstance(node, ast.Call):
        node = node.func
    if isinstance(node, ast.Subscript):
        node = node.value
    return node.attr if isinstance(node, ast.Attribute) else getattr(node, "id", "")
