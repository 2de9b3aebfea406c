"""Custom Functions as their source defines them, found without running it."""

from __future__ import annotations

import ast
from collections.abc import Iterable, Iterator, Mapping
from functools import cached_property
from typing import TypeGuard

from msgspec import Struct, field
from msgspec.structs import replace

from gradviz.analysis.source_statements import child_nodes, nested_statements

_SCOPES = (ast.FunctionDef, ast.AsyncFunctionDef, ast.Lambda, ast.ClassDef)
_ENTRY_POINTS = frozenset({"forward", "backward", "vjp", "jvp", "vmap", "setup_context"})
_DECORATORS = frozenset({"once_differentiable", "custom_fwd", "custom_bwd"})
# Methods of the context that code gives other names. Not `saved_tensors`, which is a value.
_CONTEXT_METHODS = frozenset(
    {"save_for_backward", "mark_dirty", "mark_non_differentiable", "set_materialize_grads"}
)


class FunctionMethod(Struct, frozen=True, kw_only=True, dict=True):
    """A method of a custom Function.

    Attributes:
        name: Its name, such as ``backward``.
        node: Its syntax tree.
        wrappers: Functions that wrap it later, as in ``backward = staticmethod(backward)``.
        assigned_line: Line of the assignment that makes it a method; 0 for one that is defined in
            the class.
        aliases: Other names of functions in its file, such as those that an import gives.
    """

    name: str
    node: ast.FunctionDef
    wrappers: frozenset[str] = frozenset()
    assigned_line: int = 0
    aliases: Mapping[str, str] = field(default_factory=dict)

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

    def nodes(self) -> tuple[ast.AST, ...]:
        """All syntax nodes of the body, inner functions and classes excluded."""
        return self._nodes

    # The rules ask for these again and again, and walking a syntax tree takes milliseconds.
    @cached_property
    def _nodes(self) -> tuple[ast.AST, ...]:
        return tuple(self._walk())

    def _walk(self) -> Iterator[ast.AST]:
        # Not `ast.walk`, which goes level by level and cannot skip inner scopes.
        waiting: list[ast.AST] = list(reversed(self.node.body))
        while waiting:
            node = waiting.pop()
            if isinstance(node, _SCOPES):
                continue
            yield node
            waiting += reversed(child_nodes(node))

    def is_context(self, node: ast.AST, attribute: str) -> bool:
        """Whether a node reads or calls an attribute of the context, such as ``saved_tensors``."""
        if isinstance(node, ast.Name) and isinstance(node.ctx, ast.Load):
            return self._context_aliases.get(node.id) == attribute
        return self._is_attribute(node) and node.attr == attribute

    def _is_attribute(self, node: ast.AST | None) -> TypeGuard[ast.Attribute]:
        return (
            isinstance(node, ast.Attribute)
            and isinstance(node.value, ast.Name)
            and node.value.id == self.context
        )

    @cached_property
    def _context_aliases(self) -> Mapping[str, str]:
        """Methods of the context by the local names that they are assigned to."""
        return {
            target.id: node.value.attr
            for node in self.nodes()
            if isinstance(node, ast.Assign | ast.NamedExpr) and self._is_attribute(node.value)
            if node.value.attr in _CONTEXT_METHODS
            for target in (node.targets if isinstance(node, ast.Assign) else [node.target])
            if isinstance(target, ast.Name)
        }

    def context_calls(self, name: str) -> list[ast.Call]:
        """Calls of a method of the context, such as ``save_for_backward``."""
        calls = (node for node in self.nodes() if isinstance(node, ast.Call))
        return [node for node in calls if self.is_context(node.func, name)]

    def decorators(self) -> tuple[str, ...]:
        """Last parts of the names of its decorators, from top to bottom."""
        names = map(_last_name, self.node.decorator_list)
        return tuple(self.aliases.get(name, name) for name in names)

    def is_declared(self, name: str) -> bool:
        """Whether it is decorated with a function, or wrapped by it later."""
        return name in self.wrappers or name in self.decorators()

    def passes_context_on(self) -> bool:
        """Whether the context itself goes elsewhere, where anything may be done with it."""
        owners = {id(node.value) for node in self.nodes() if isinstance(node, ast.Attribute)}
        return any(
            isinstance(node, ast.Name) and node.id == self.context and id(node) not in owners
            for part in self.node.body
            for node in ast.walk(part)
        )

    def reads(self, name: str) -> bool:
        """Whether a name is read anywhere in the body, inner functions included."""
        return any(
            isinstance(node, ast.Name) and node.id == name and isinstance(node.ctx, ast.Load)
            for part in self.node.body
            for node in ast.walk(part)
        )


class FunctionClass(Struct, frozen=True, kw_only=True):
    """A class derived from ``torch.autograd.Function``.

    Attributes:
        name: Its name.
        node: Its syntax tree.
        methods: The methods that torch calls, by name, with those that it inherits in the file.
        own: Names of the methods that no other Function in the file defines.
        calls: Calls of the class outside of Functions that do not go through ``apply``.
        autocast_lines: Lines that apply it under autocast.
        sharing: Other Functions of the file with the same ``backward``.
        helpers: Other functions of the class and the file, by the names they are called by.
    """

    name: str
    node: ast.ClassDef
    methods: Mapping[str, FunctionMethod]
    own: frozenset[str]
    calls: tuple[ast.Call, ...] = ()
    autocast_lines: tuple[int, ...] = ()
    sharing: tuple[FunctionClass, ...] = ()
    helpers: Mapping[str, ast.FunctionDef] = field(default_factory=dict)

    @property
    def backward(self) -> FunctionMethod | None:
        """Its ``backward`` or ``vjp``; None if there is none."""
        # For torch, `vjp` is another name for `backward`.
        return self.methods.get("backward") or self.methods.get("vjp")

    def is_inherited(self, method: FunctionMethod) -> bool:
        """Whether a method is defined in another class, as in a mixin."""
        return not method.assigned_line and method.node not in self.node.body

    @property
    def forward(self) -> FunctionMethod | None:
        """Its ``forward``; None if there is none."""
        return self.methods.get("forward")

    @property
    def marks_dirty(self) -> bool:
        """Whether a method calls ``ctx.mark_dirty``, or may: one that passes the context on."""
        method = self.saving
        return method is not None and (
            bool(method.context_calls("mark_dirty")) or method.passes_context_on()
        )

    @property
    def saving(self) -> FunctionMethod | None:
        """The method that fills the context: ``setup_context``, or else ``forward``."""
        return self.methods.get("setup_context") or self.forward

    @property
    def takes_context_in_vain(self) -> bool:
        """Whether ``forward`` takes the context although torch passes only inputs to it."""
        setup, forward = self.methods.get("setup_context"), self.forward
        return setup is not None and forward is not None and forward.context == setup.context

    @property
    def lacks_context(self) -> bool:
        """Whether ``forward`` computes with its first parameter, which receives the context."""
        forward, backward = self.forward, self.backward
        if forward is None or backward is None or "setup_context" in self.methods:
            return False
        computes = any(
            isinstance(node, ast.BinOp)
            and forward.context in map(variable_name, (node.left, node.right))
            for node in forward.nodes()
        )
        return computes and forward.context != backward.context

    @property
    def inputs(self) -> tuple[str, ...] | None:
        """Parameters of ``forward`` that receive the inputs; None if their number is open."""
        forward = self.forward
        # With defaults or a star, each call decides how many gradients are expected.
        if forward is None or forward.star or forward.node.args.defaults:
            return None
        split = "setup_context" in self.methods
        if self.takes_context_in_vain or self.lacks_context:
            return None
        return forward.parameters if split else forward.parameters[1:]


def function_classes(tree: ast.Module) -> tuple[FunctionClass, ...]:
    """The custom Functions that a file defines, from top to bottom."""
    return _FileReader(tree).functions()


class _FileReader:
    """Reader of the classes of one file, of which some are custom Functions."""

    def __init__(self, tree: ast.Module) -> None:
        nodes = tuple(nested_statements(tree))
        imports = [node for node in nodes if isinstance(node, ast.ImportFrom)]
        self._tree = tree
        self._class_nodes = [node for node in nodes if isinstance(node, ast.ClassDef)]
        self._classes = {node.name: node for node in self._class_nodes}
        self._defined = {node.name: node for node in nodes if isinstance(node, ast.FunctionDef)}
        self._known = {"Function", "InplaceFunction", *_imported_names(imports)}
        self._wrappers = _wrappers(tree)
        self._aliases = _aliases(imports, tree)
        self._calls = _calls_without_apply(tree)
        self._autocast_lines = _autocast_lines(nodes)
        # Each class looks for its own among these; there may be many other assignments.
        self._attributes = [
            node
            for node in tree.body
            if isinstance(node, ast.Assign)
            and any(isinstance(target, ast.Attribute) for target in node.targets)
        ]

    def functions(self) -> tuple[FunctionClass, ...]:
        found = []
        for node in self._class_nodes:
            # The file may import Function under any path; only the last name is certain.
            if not self._known.isdisjoint(_bases(node)):
                # Classes derived from this one are Functions too.
                self._known.add(node.name)
                found.append(self._function(node))
        ordered = sorted(found, key=lambda each: each.node.lineno)
        return tuple(replace(each, sharing=_sharing(each, ordered)) for each in ordered)

    def _function(self, node: ast.ClassDef) -> FunctionClass:
        methods: dict[str, FunctionMethod] = {}
        own: set[str] = set()
        for each in self._ancestors(node):
            mine = {
                name: method for name, method in self._methods(each).items() if name not in methods
            }
            methods |= mine
            # A mixin is no Function, so nothing else would report what it does.
            if each is node or each.name not in self._known:
                own |= mine.keys()
        return FunctionClass(
            name=node.name,
            node=node,
            methods=methods,
            own=frozenset(own),
            helpers=self._helpers(node),
            calls=tuple(self._calls.get(node.name, ())),
            autocast_lines=tuple(self._autocast_lines.get(node.name, ())),
        )

    def _ancestors(self, node: ast.ClassDef) -> list[ast.ClassDef]:
        """A class and those in the file that it derives from, the nearest first."""
        found, waiting = [], [node]
        while waiting:
            each = waiting.pop(0)
            if each not in found:
                found.append(each)
                # Torch's own file defines `Function` itself, whose methods only raise.
                bases = {*_bases(each)} - {"Function"}
                waiting += [
                    self._classes[name]
                    for name in _bases(each)
                    if name in bases & self._classes.keys()
                ]
        return found

    def _methods(self, node: ast.ClassDef) -> dict[str, FunctionMethod]:
        inner = _wrappers(node)
        found = {}
        for name, (value, line) in self._definitions(node).items():
            wrappers = [inner.get(name), self._wrappers.get(f"{node.name}.{name}")]
            found[name] = FunctionMethod(
                name=name,
                node=value,
                wrappers=frozenset().union(*filter(None, wrappers)),
                assigned_line=line,
                aliases=self._aliases,
            )
        return found

    def _definitions(self, node: ast.ClassDef) -> dict[str, tuple[ast.FunctionDef, int]]:
        """What defines each method, and the line of the assignment if it is one."""
        local = {each.name: each for each in node.body if isinstance(each, ast.FunctionDef)}
        found = {name: (each, 0) for name, each in local.items() if name in _ENTRY_POINTS}
        for statements, prefix in ((node.body, ""), (self._attributes, f"{node.name}.")):
            names = {f"{prefix}{name}": name for name in _ENTRY_POINTS}
            for statement in statements:
                if not isinstance(statement, ast.Assign):
                    continue
                for target in statement.targets:
                    name = names.get(ast.unparse(target))
                    value = _unwrapped(statement.value, self._defined | local) if name else None
                    if name and value is not None and value is not local.get(name):
                        found[name] = (value, statement.lineno)
        return found

    def _helpers(self, node: ast.ClassDef) -> dict[str, ast.FunctionDef]:
        found = {each.name: each for each in self._tree.body if isinstance(each, ast.FunctionDef)}
        for owner in reversed(self._ancestors(node)):
            for each in owner.body:
                if isinstance(each, ast.FunctionDef):
                    found |= {
                        f"{name}.{each.name}": each for name in ("cls", owner.name, node.name)
                    }
        return found


def _calls_without_apply(tree: ast.Module) -> dict[str, list[ast.Call]]:
    """Calls such as ``F(x)`` and ``F.forward(None, x)`` outside of Functions, by class."""
    found: dict[str, list[ast.Call]] = {}
    waiting: list[ast.AST] = [tree]
    while waiting:
        node = waiting.pop()
        match node:
            case ast.ClassDef(bases=bases) if any(_last_name(each) == "Function" for each in bases):
                continue
            case ast.Call(func=ast.Name(id=name)):
                found.setdefault(name, []).append(node)
            case ast.Call(
                func=ast.Attribute(value=ast.Name(id=name), attr="forward"),
                args=[ast.Constant(value=None), *_],
            ):
                found.setdefault(name, []).append(node)
        waiting += child_nodes(node)
    return found


def _autocast_lines(statements: Iterable[ast.AST]) -> dict[str, list[int]]:
    """Lines with ``F.apply(x)`` under ``with torch.autocast(...)``, by class."""
    found: dict[str, list[int]] = {}
    for statement in statements:
        heads: list[ast.expr] = []
        if isinstance(statement, ast.With):
            heads = [each.context_expr for each in statement.items]
        elif isinstance(statement, ast.FunctionDef):
            heads = statement.decorator_list
        if any(_last_name(each) == "autocast" for each in heads):
            for node in ast.walk(statement):
                match node:
                    case ast.Call(func=ast.Attribute(value=ast.Name(id=name), attr="apply")):
                        found.setdefault(name, []).append(node.lineno)
    return found


def _sharing(function: FunctionClass, all_: list[FunctionClass]) -> tuple[FunctionClass, ...]:
    method = function.backward
    return tuple(
        each
        for each in all_
        if each is not function
        and method is not None
        and each.backward is not None
        and each.backward.node is method.node
    )


def variable_name(node: ast.AST) -> str:
    """The name of a variable; empty for any other expression."""
    return node.id if isinstance(node, ast.Name) else ""


def _bases(node: ast.ClassDef) -> tuple[str, ...]:
    return tuple(map(_last_name, node.bases))


def _unwrapped(node: ast.expr, defined: Mapping[str, ast.FunctionDef]) -> ast.FunctionDef | None:
    """The function in ``staticmethod(f)``, as a definition if it is a lambda."""
    while isinstance(node, ast.Call) and len(node.args) == 1:
        node = node.args[0]
    if not isinstance(node, ast.Lambda):
        return defined.get(node.id) if isinstance(node, ast.Name) else None
    body = ast.copy_location(ast.Return(value=node.body), node.body)
    made = ast.FunctionDef(name="<lambda>", args=node.args, body=[body], decorator_list=[])
    return ast.copy_location(made, node)


def _imported_names(imports: Iterable[ast.ImportFrom]) -> Iterator[str]:
    """Other names of ``Function`` in the file."""
    for node in imports:
        if (node.module or "").startswith("torch.autograd"):
            yield from (
                each.asname for each in node.names if each.name == "Function" and each.asname
            )


def _aliases(imports: Iterable[ast.ImportFrom], tree: ast.Module) -> dict[str, str]:
    """Functions of torch by other names that the file gives them."""
    found = {
        each.asname: each.name
        for node in imports
        if (node.module or "").startswith("torch")
        for each in node.names
        if each.asname
    }
    for node in tree.body:
        if isinstance(node, ast.Assign):
            # As in `bwd = custom_bwd(device_type="cuda")`, or the same with `partial`.
            value = node.value
            if isinstance(value, ast.Call) and _last_name(value) == "partial" and value.args:
                value = value.args[0]
            name = _last_name(value)
            if name in _DECORATORS:
                found |= {each.id: name for each in node.targets if isinstance(each, ast.Name)}
    return found


def _wrappers(scope: ast.Module | ast.ClassDef) -> dict[str, frozenset[str]]:
    """Names of the functions called in each assignment of a scope, by the assigned name."""
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
