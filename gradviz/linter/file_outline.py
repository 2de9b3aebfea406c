"""What a Python file defines and does, read from its text without running it."""

from __future__ import annotations

import ast
import re
import tokenize
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Literal

from gradviz.analysis.source_statements import parse_source
from gradviz.analysis.training.script_outline import script_outline
from gradviz.model.inputs import Offer, RunSubject

_FUNCTION = frozenset({"torch.autograd.Function", "torch.autograd.function.Function"})
_MODULE = "torch.nn."
_NO_MODULES = ("Parameter", "Buffer")
"""Endings of the classes in torch.nn that are tensors."""
_CHAINED = frozenset({"", "cpu", "cuda", "double", "eval", "float", "half", "to", "train"})
"""Methods that return their Module."""
_Kind = Literal["function", "module", "plain"]
_KINDS = ("function", "module", "plain")
_WORK = re.compile("backward|(grad)?gradcheck|fit|parse_args|input|show|_?exit")
"""Last names of calls that a file which is to be imported does not make at its top level."""
_SCOPES = (ast.FunctionDef, ast.AsyncFunctionDef, ast.Lambda, ast.ClassDef)


@dataclass(frozen=True, slots=True, kw_only=True)
class FileOutline:
    """What the text of a file shows.

    Attributes:
        offers: Its public Functions, Modules and functions, in this order, each by line. Only those
            that are certain: what is built while it runs, or derived from a class of another file,
            is missing.
        declares_examples: Whether it mentions ``EXAMPLES`` or ``examples``.
        work_line: First line at its top level that obviously does work, such as a loop with calls
            or ``backward()``; 0 if there is none. A block for its use as a script does not count.
        has_main_block: Whether it has such a block.
        has_training_loop: Whether a loop of it starts backward passes.
    """

    offers: tuple[Offer, ...]
    declares_examples: bool
    work_line: int
    has_main_block: bool
    has_training_loop: bool


def read_outline(path: Path, most_bytes: int = 1 << 20) -> FileOutline | None:
    """Read the outline of a file.

    Returns:
        The outline; None if the file cannot be read or parsed, or is larger. Whoever loads it says
        what is wrong.
    """
    try:
        if path.stat().st_size > most_bytes:
            return None
        # Python's own rules for the encoding: a byte order mark, or a comment.
        with tokenize.open(path) as file:
            text = file.read()
        tree = parse_source(text)
        if tree is None:
            return None
        return FileOutline(
            offers=_offers(tree, str(path)),
            declares_examples=may_declare_examples(tree),
            work_line=_work_line(tree),
            has_main_block=any(map(_is_main_block, tree.body)),
            has_training_loop=script_outline(text) is not None,
        )
    except (OSError, SyntaxError, ValueError):  # also of an unknown encoding
        return None


def may_declare_examples(tree: ast.Module) -> bool:
    """Whether a file mentions ``EXAMPLES`` or ``examples``: no other one needs to run."""
    names = (getattr(each, "id", getattr(each, "name", "")) for each in ast.walk(tree))
    return any(name in ("EXAMPLES", "examples") for name in names)


def _offers(tree: ast.Module, path: str) -> tuple[Offer, ...]:
    names = _imported_names(tree)
    kinds: dict[str, _Kind | None] = {}
    found: dict[str, tuple[_Kind, int]] = {}
    for node in tree.body:
        kind: _Kind | None = None
        match node:
            case ast.ClassDef(name=name):
                kind = kinds[name] = _kind_of_class(node, names, kinds)
            case ast.FunctionDef(name=name):
                kind = "plain" if _is_plain(node, names) else None
            case ast.Assign(targets=[ast.Name(id=name)], value=value):
                # As in `Base = torch.autograd.Function` or `net = Net().double()`.
                full = names[name] = _full_name(value, names)
                cls, _, method = full.partition(".")
                if isinstance(value, ast.Call) and method in _CHAINED:
                    kind = "module" if kinds.get(cls) == "module" else None
                if kind:
                    # An instance is offered in place of its class.
                    found.pop(cls, None)
            case _:
                continue
        found.pop(name, None)
        if kind and not name.startswith("_"):
            found[name] = kind, node.lineno
    ordered = sorted(found.items(), key=lambda item: _KINDS.index(item[1][0]))
    return tuple(_offer(path, name, kind, line) for name, (kind, line) in ordered)


def _is_plain(node: ast.FunctionDef, names: dict[str, str]) -> bool:
    """Whether a function can be called: another decorator could make anything of it."""
    decorators = (_full_name(each, names) for each in node.decorator_list)
    known = all(each.startswith(("torch.", "functools.")) for each in decorators)
    return known and node.name != "examples"


def _offer(path: str, name: str, kind: _Kind, line: int) -> Offer:
    return Offer(
        subject=RunSubject(path=path, name=name),
        title=name,
        inputs=(),
        line=line,
        is_module=kind == "module",
        is_declared=False,
        is_plain_function=kind == "plain",
        is_from_text=True,
    )


def _kind_of_class(
    node: ast.ClassDef, names: dict[str, str], kinds: dict[str, _Kind | None]
) -> _Kind | None:
    for base in node.bases:
        name = _full_name(base, names)
        last = name.rpartition(".")[2]
        if name in _FUNCTION:
            return "function"
        if name.startswith(_MODULE) and last[:1].isupper() and not last.endswith(_NO_MODULES):
            return "module"
        if kind := kinds.get(name):
            return kind
    return None


def _full_name(node: ast.expr, names: dict[str, str]) -> str:
    """Full dotted name with import aliases resolved; of a call or subscript, that of its object."""
    parts: list[str] = []
    while not isinstance(node, ast.Name):
        if isinstance(node, ast.Attribute):
            parts.insert(0, node.attr)
            node = node.value
        elif isinstance(node, ast.Call):
            node = node.func
        elif isinstance(node, ast.Subscript):
            node = node.value
        else:
            return ""
    return ".".join([names.get(node.id, node.id), *parts])


def _imported_names(tree: ast.Module) -> dict[str, str]:
    """What the names that a file imports from torch and elsewhere stand for."""
    names: dict[str, str] = {}
    for node in ast.walk(tree):
        if isinstance(node, ast.Import):
            names |= {each.asname: each.name for each in node.names if each.asname}
        elif isinstance(node, ast.ImportFrom):
            module = "." * node.level + (node.module or "")
            for each in node.names:
                if each.name == "*" and module.startswith("torch"):
                    names |= {last: f"{module}.{last}" for last in ("Function", "Module")}
                else:
                    names[each.asname or each.name] = f"{module}.{each.name}"
    return names


def _work_line(tree: ast.Module) -> int:
    own = {each.name for each in tree.body if isinstance(each, ast.FunctionDef)}
    for statement in tree.body:
        if isinstance(statement, _SCOPES) or _is_main_block(statement):
            continue
        for node in _nodes_that_run(statement):
            if _does_work(node, own):
                return int(getattr(node, "lineno", statement.lineno))
    return 0


def _does_work(node: ast.AST, own: set[str]) -> bool:
    if isinstance(node, ast.For | ast.AsyncFor | ast.While):
        return any(isinstance(each, ast.Call) for part in node.body for each in ast.walk(part))
    if isinstance(node, ast.Expr) and isinstance(node.value, ast.Call):
        # Called for its effects, as in `main()` or `sys.exit(main())`.
        calls = [node.value, *node.value.args]
        names = [_full_name(each, {}) for each in calls if isinstance(each, ast.Call)]
        return names[0] != "print" and not own.isdisjoint(names)
    # Also of a method of any expression, as in `(x * 2).sum().backward()`.
    called = getattr(node, "func", None)
    return bool(_WORK.fullmatch(getattr(called, "attr", getattr(called, "id", ""))))


def _nodes_that_run(statement: ast.stmt) -> Iterator[ast.AST]:
    """The syntax nodes of a statement in their order, those of functions and classes left out."""
    waiting: list[ast.AST] = [statement]
    while waiting:
        node = waiting.pop()
        yield node
        inner = (each for each in ast.iter_child_nodes(node) if not isinstance(each, _SCOPES))
        waiting += reversed(list(inner))


def _is_main_block(node: ast.stmt) -> bool:
    return isinstance(node, ast.If) and "__name__" in ast.unparse(node.test)
