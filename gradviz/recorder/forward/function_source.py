"""Facts read from a custom Function's source: style, argument names and saved names."""

from __future__ import annotations

import ast
import builtins
import functools
import inspect
from collections.abc import Callable
from types import CodeType, FunctionType, MethodType
from typing import Any

import torch
from msgspec import Struct

from gradviz.analysis.source_statements import nested_statements
from gradviz.late_import import import_in_thread
from gradviz.model.function_call import FunctionStyle
from gradviz.recorder import compat
from gradviz.recorder.safe_text import printable_text
from gradviz.recorder.source_expressions import spread_targets
from gradviz.recorder.sources import code_of, tree_of


@functools.lru_cache(maxsize=256)
def definition_line(code: CodeType | None) -> int | None:
    """The line with ``def``, below decorators; None without source."""
    return _one(code, lambda node: isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef))


@functools.lru_cache(maxsize=256)
def return_line(code: CodeType | None) -> int | None:
    """The line of the only ``return``; otherwise the line with ``def``."""
    return _one(code, lambda node: isinstance(node, ast.Return)) or definition_line(code)


@functools.lru_cache(maxsize=256)
def saving_line(code: CodeType | None) -> int | None:
    """The line of the only ``ctx.save_for_backward``; otherwise the line with ``def``."""
    return _one(code, _saves) or definition_line(code)


@functools.lru_cache(maxsize=256)
def attribute_line(code: CodeType | None, name: str) -> int | None:
    """The line of the only ``ctx.name = ...``; otherwise the line with ``def``."""
    context = code.co_varnames[0] if code is not None and code.co_varnames else ""
    return _one(code, lambda node: _assigns(node, context, name)) or definition_line(code)


@functools.lru_cache(maxsize=256)
def returned_count_line(code: CodeType | None, count: int) -> int | None:
    """The line of the only ``return`` that may have returned so many values; or `return_line`."""
    return _one(code, lambda node: _may_return(node, count)) or return_line(code)


@functools.lru_cache(maxsize=256)
def return_lines(code: CodeType | None) -> frozenset[int]:
    """The lines of all ``return`` statements."""
    nodes = () if code is None else nodes_of(code)
    return frozenset([line for node, line in nodes if isinstance(node, ast.Return)])


def _may_return(node: ast.AST, count: int) -> bool:
    if not isinstance(node, ast.Return):
        return False
    if not isinstance(node.value, ast.Tuple):
        # A variable or the result of a call may be a tuple.
        return count == 1 or isinstance(node.value, ast.Name | ast.Call | ast.IfExp)
    starred = any(isinstance(each, ast.Starred) for each in node.value.elts)
    return starred or len(node.value.elts) == count


@functools.lru_cache(maxsize=256)
def returns_only_inputs(code: CodeType | None) -> bool:
    """Whether a ``forward`` does nothing but return inputs; False without source."""
    import_in_thread("gradviz.linter.rules.outputs")
    from gradviz.linter.rules.outputs import is_identity

    nodes = () if code is None else nodes_of(code)
    return bool(nodes) and isinstance(nodes[0][0], ast.FunctionDef) and is_identity(nodes[0][0])


@functools.lru_cache(maxsize=256)
def is_needed_elsewhere(code: CodeType | None, position: int) -> bool:
    """Whether a function uses what it returns at a position for something else, too.

    An adjoint, for example, is returned as the gradient of a state, and carries all others. What
    the function was given needs no computation at all.
    """
    nodes = [] if code is None else [node for node, _ in nodes_of(code)]
    return any(
        _is_used_beside(code, nodes, returned)
        for node in nodes
        if isinstance(node, ast.Return)
        for returned in _returned_at(node, position)
    )


def _returned_at(node: ast.Return, position: int) -> list[ast.expr]:
    if not isinstance(node.value, ast.Tuple):
        return [node.value] if node.value is not None and position == 0 else []
    elements = node.value.elts[: position + 1]
    starred = any(isinstance(each, ast.Starred) for each in elements)
    return [] if starred else elements[position:]


def _is_used_beside(code: CodeType | None, nodes: list[ast.AST], returned: ast.expr) -> bool:
    name, own = _part_of(returned), {id(each) for each in ast.walk(returned)}
    seen: set[str] = set()
    while code is not None and name and name not in seen:
        seen.add(name)
        if name in code.co_varnames[: code.co_argcount] or name in code.co_cellvars:
            return True
        sources = [value for node in nodes for value in _sources(node, name)]
        # To add to a sum is no use of it.
        own |= {id(each) for value in sources for each in ast.walk(value)}
        if any(_reads(node, name) and id(node) not in own for node in nodes):
            return True
        # Another name for a part of something, as in `dx = adjoint[0]`.
        parts = {_part_of(value) for value in sources}
        name = parts.pop() if len(parts) == 1 else ""
    return False


def _reads(node: ast.AST, name: str) -> bool:
    return isinstance(node, ast.Name) and node.id == name and isinstance(node.ctx, ast.Load)


def _sources(node: ast.AST, name: str) -> list[ast.expr]:
    """What a statement assigns to a variable alone, or adds to it."""
    match node:
        case ast.Assign(targets=[ast.Name(id=target)], value=value) if target == name:
            return [value]
        case ast.AugAssign(target=ast.Name(id=target), value=value) if target == name:
            return [value]
        case _:
            return []


def _part_of(node: ast.expr) -> str:
    """The variable of which an expression is a part, as in ``x[0]``; empty for a computation."""
    while isinstance(node, ast.Attribute | ast.Subscript):
        node = node.value
    return node.id if isinstance(node, ast.Name) else ""


@functools.lru_cache(maxsize=256)
def writing_line(code: CodeType | None, name: str) -> int | None:
    """The line of the only statement that writes to a variable in place; otherwise with ``def``.

    It may write by another name that was assigned from the variable, as an array of NumPy. If none
    does, it is the only line that passes the variable to a function of the user.
    """
    nodes = () if code is None else nodes_of(code)
    names = {name}
    for node, _ in nodes:
        if isinstance(node, ast.Assign) and _root(node.value) in names:
            names |= {each.id for each in node.targets if isinstance(each, ast.Name)}
    lines = {line for node, line in nodes if _written(node) in names}
    lines = lines or {line for node, line in nodes if _passed_on(node, names)}
    return lines.pop() if len(lines) == 1 else definition_line(code)


def _passed_on(node: ast.AST, names: set[str]) -> bool:
    """Whether a call passes one of the variables to a function other than Python's own."""
    if not isinstance(node, ast.Call) or not isinstance(node.func, ast.Name):
        return False
    if hasattr(builtins, node.func.id):
        return False
    values = (*node.args, *(each.value for each in node.keywords))
    return any(isinstance(each, ast.Name) and each.id in names for each in values)


def _written(node: ast.AST) -> str:
    """Name of the variable that an assignment or call changes in place; empty for none."""
    match node:
        case ast.Assign(targets=[ast.Subscript() as target]):
            return _root(target)
        case ast.AugAssign(target=target):
            return _root(target)
        case ast.Call(func=ast.Attribute(attr=method)) if (
            method.endswith("_") and method[-2:] != "__"
        ):
            return _root(node)
        case ast.Call(keywords=keywords):
            return next((_root(each.value) for each in keywords if each.arg == "out"), "")
        case _:
            return ""


def _root(node: ast.AST) -> str:
    """The variable at the start of ``x.detach().numpy()[0]``; empty for other expressions."""
    while isinstance(node, ast.Attribute | ast.Subscript | ast.Call):
        node = node.func if isinstance(node, ast.Call) else node.value
    return node.id if isinstance(node, ast.Name) else ""


def _saves(node: ast.AST) -> bool:
    if not isinstance(node, ast.Call) or not isinstance(node.func, ast.Attribute):
        return False
    return node.func.attr == "save_for_backward"


def _assigns(node: ast.AST, context: str, name: str) -> bool:
    if not isinstance(node, ast.Assign):
        return False
    return any(
        isinstance(each, ast.Attribute)
        and each.attr == name
        and isinstance(each.value, ast.Name)
        and each.value.id == context
        for each in node.targets
    )


def _one(code: CodeType | None, wanted: Callable[[ast.AST], bool]) -> int | None:
    lines = set() if code is None else {line for node, line in nodes_of(code) if wanted(node)}
    return lines.pop() if len(lines) == 1 else None


def nodes_of(code: CodeType) -> tuple[tuple[ast.AST, int], ...]:
    """All syntax nodes of a function with their lines, except those of inner functions."""
    node = _definition(code)
    if node is None:
        return ()
    inner = [each for part in node.body for each in _walk(part)]
    return ((node, node.lineno), *[(each, getattr(each, "lineno", 0)) for each in inner])


def _definition(code: CodeType) -> ast.FunctionDef | ast.AsyncFunctionDef | None:
    """The definition of a function in the source; None without source."""
    tree = tree_of(code.co_filename)
    for node in () if tree is None else nested_statements(tree):
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef) and node.name == code.co_name:
            # `co_firstlineno` is the line of the first decorator.
            lines = [node.lineno, *[each.lineno for each in node.decorator_list]]
            if min(lines) == code.co_firstlineno:
                return node
    return None


def _walk(node: ast.AST) -> list[ast.AST]:
    if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef | ast.Lambda | ast.ClassDef):
        return []
    found: list[ast.AST] = [node]
    for child in ast.iter_child_nodes(node):
        found += _walk(child)
    return found


_MOST_NAME = 60


class FunctionSource(Struct, frozen=True):
    """Methods of a custom Function, without the recorder's wrappers.

    Attributes:
        codes: The codes of ``forward``, ``setup_context`` and ``backward``; None where there is no
            Python code.
        parameters: Names of all positional parameters of ``forward``, without ``ctx``.
        star: Name of its ``*args``; ``argument`` if it cannot be read, empty if there is none.
        gradients: Names of the parameters of ``backward`` after ``ctx``; empty if unknown.
    """

    style: FunctionStyle
    forward: Any
    setup_context: Any
    backward: Any
    codes: tuple[CodeType | None, CodeType | None, CodeType | None]
    parameters: tuple[str, ...]
    star: str
    once_differentiable: bool
    gradients: tuple[str, ...]

    @property
    def context_method(self) -> str:
        """Name of the method that fills ``ctx``."""
        return "forward" if self.style == "combined" else "setup_context"

    def owns(self, method: str, function: Any) -> bool:
        """Whether ``function`` is the method of this class with that name."""
        return function is (self.forward if method == "forward" else self.setup_context)

    def argument_names(self, count: int) -> tuple[str, ...]:
        """Names for the first ``count`` arguments of ``forward``, without ``ctx``."""
        return spread_targets((*self.parameters, f"*{self.star or 'argument'}"), count)[:count]

    @property
    def is_open(self) -> bool:
        """Whether ``forward`` takes any number of arguments, or cannot be read."""
        return self.star != ""

    def saved_names(self, count: int) -> tuple[str, ...]:
        """Source text of ``count`` values passed to ``save_for_backward``; empty if unclear."""
        code = self.codes[0 if self.style == "combined" else 1]
        lists = () if code is None else _saved_lists(code)
        return _expanded(lists[0], count) if len(lists) == 1 else ()


_OPEN = 1_000_000
"""More inputs than any call has: a Function with ``*args`` takes as many as are passed."""


def most_inputs(backward: CodeType | None) -> int:
    """Most inputs of the Functions that share a ``backward``."""
    found, waiting = 0, type.__subclasses__(torch.autograd.Function)
    while waiting:
        cls = waiting.pop()
        waiting += type.__subclasses__(cls)
        # Statically, because these may be classes that have nothing to do with the run.
        if code_of(inspect.getattr_static(cls, "backward", None)) is backward:
            text = read_function_source(cls)
            found = max(found, _OPEN if text.is_open else len(text.parameters))
    return found


def method_codes(cls: Any, source: FunctionSource) -> tuple[CodeType | None, ...]:
    """The codes of a Function's methods: forward, setup_context and backward, jvp and vmap."""
    others = (getattr(cls, "jvp", None), getattr(cls, "vmap", None))
    return (*source.codes, *map(code_of, others))


def read_function_source(cls: Any) -> FunctionSource:
    """Read a Function's class; results that are expensive are cached by code object."""
    forward, setup = _original(cls.forward), _original(cls.setup_context)
    is_split = setup is not compat.FunctionBase.setup_context
    setup = setup if is_split else None
    vjp, backward = cls.vjp, cls.backward
    base = compat.FunctionBase.backward
    # In the order of torch: `vjp` comes first if the class defines it.
    own = vjp if vjp is not base else backward if backward is not base else None
    parameters, more = _positional(forward)
    names, star = _positional(own)
    return FunctionSource(
        style="setup_context" if is_split else "combined",
        forward=forward,
        setup_context=setup,
        backward=own,
        codes=(code_of(forward), code_of(setup), code_of(own)),
        parameters=parameters if is_split else parameters[1:],
        star=more,
        once_differentiable=own is not None and _is_once_differentiable(own),
        gradients=() if star else names[1:],
    )


def _original(function: Any) -> Any:
    return getattr(function, "__gradviz_original__", function)


def _is_once_differentiable(function: Any) -> bool:
    while isinstance(function, FunctionType):
        if function.__code__ is _ONCE:
            return True
        function = getattr(function, "__wrapped__", None)
    return False


def _nothing(ctx: Any) -> None:
    """Placeholder for a backward."""


_wrapped: Any = torch.autograd.function.once_differentiable(_nothing)
# All functions that the decorator returns share this code object, which identifies them.
_ONCE: CodeType = _wrapped.__code__


def _positional(function: Any) -> tuple[tuple[str, ...], str]:
    """Names of the positional parameters, and of ``*args`` or an empty text."""
    bound = isinstance(function, MethodType)
    code = code_of(function.__func__ if bound else function)
    if code is None:
        return (), "argument"
    star = ""
    if code.co_flags & inspect.CO_VARARGS:
        # Python lists the positional parameters first, then keyword-only ones, then `*args`.
        star = code.co_varnames[code.co_argcount + code.co_kwonlyargcount]
    return code.co_varnames[int(bound) : code.co_argcount], star


@functools.lru_cache(maxsize=512)
def _saved_lists(code: CodeType) -> tuple[tuple[str, ...], ...]:
    """Argument lists of all ``save_for_backward`` calls in a function's source."""
    definition = _definition(code)
    found = [
        tuple([printable_text(ast.unparse(argument)) for argument in call.args])
        for call in (() if definition is None else ast.walk(definition))
        if isinstance(call, ast.Call) and _saves(call)
    ]
    return tuple(found)


def _expanded(names: tuple[str, ...], count: int) -> tuple[str, ...]:
    """Names of ``count`` arguments, with ``rest[0]`` and so on for ``*rest``; empty if unclear."""
    starred = [name[1:] for name in names if name.startswith("*")]
    spread = spread_targets(names, count)
    if len(starred) > 1 or not all(map(str.isidentifier, starred)) or len(spread) != count:
        return ()
    return tuple([name[:_MOST_NAME] for name in spread])
