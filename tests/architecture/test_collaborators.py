"""The recorder's parts receive their collaborators in the constructor and keep them.

Only records, which hold the state of something open, may be written to by other modules.
"""

from __future__ import annotations

import ast
from dataclasses import dataclass, field

import pytest

from tests.architecture.modules import Module, modules


@dataclass
class Known:
    """A class, and the classes of its attributes as far as annotations and constructors say."""

    module: str
    is_dataclass: bool
    attributes: dict[str, str] = field(default_factory=dict)


def foreign_writes(found: list[Module]) -> list[str]:
    """Assignments to a class's attributes from outside its module."""
    classes = {
        node.name: Known(module.name, _is_dataclass(node))
        for module in found
        for node in module.tree.body
        if isinstance(node, ast.ClassDef)
    }
    for module in found:
        for owner in module.tree.body:
            if isinstance(owner, ast.ClassDef):
                _collect(owner, classes)
    return [
        f"{module.name}:{line}: {text}"
        for module in found
        for line, text in _writes(module, classes)
    ]


def _is_dataclass(node: ast.ClassDef) -> bool:
    declared = (*node.decorator_list, *node.bases)
    return any(ast.unparse(each).startswith(("dataclass", "Struct")) for each in declared)


def _collect(owner: ast.ClassDef, classes: dict[str, Known]) -> None:
    attributes = classes[owner.name].attributes
    for node in owner.body:
        if isinstance(node, ast.AnnAssign) and isinstance(node.target, ast.Name):
            attributes[node.target.id] = _named(node.annotation, classes)
        elif isinstance(node, ast.FunctionDef):
            _follow(node, owner.name, classes)


def _follow(
    function: ast.FunctionDef, owner: str, classes: dict[str, Known]
) -> tuple[dict[str, str], list[ast.Attribute]]:
    """The classes of a function's variables, and the attributes to which it assigns."""
    arguments = function.args
    variables = {
        each.arg: _named(each.annotation, classes)
        for each in (*arguments.posonlyargs, *arguments.args, *arguments.kwonlyargs)
        if each.annotation is not None
    }
    variables["self"] = owner
    written: list[ast.Attribute] = []
    for node in ast.walk(function):
        if not isinstance(node, ast.Assign | ast.AnnAssign | ast.AugAssign):
            continue
        targets = node.targets if isinstance(node, ast.Assign) else [node.target]
        kind = "" if node.value is None else _class_of(node.value, variables, classes)
        for target in targets:
            if isinstance(target, ast.Name):
                variables[target.id] = kind
            elif isinstance(target, ast.Attribute):
                written.append(target)
                if owner and isinstance(target.value, ast.Name) and target.value.id == "self":
                    classes[owner].attributes.setdefault(target.attr, kind)
    return variables, written


def _named(annotation: ast.expr, classes: dict[str, Known]) -> str:
    """The class that an annotation names, also as ``Class | None``; empty for any other."""
    names = [each.id for each in ast.walk(annotation) if isinstance(each, ast.Name)]
    return names[0] if len(names) == 1 and names[0] in classes else ""


def _class_of(value: ast.expr, variables: dict[str, str], classes: dict[str, Known]) -> str:
    if isinstance(value, ast.Name):
        return variables.get(value.id, "")
    if isinstance(value, ast.Attribute):
        owner = classes.get(_class_of(value.value, variables, classes))
        return "" if owner is None else owner.attributes.get(value.attr, "")
    if isinstance(value, ast.Call) and isinstance(value.func, ast.Name):
        return value.func.id if value.func.id in classes else ""
    return ""


def _writes(module: Module, classes: dict[str, Known]) -> list[tuple[int, str]]:
    found = []
    owners = [node for node in module.tree.body if isinstance(node, ast.ClassDef)]
    functions = [
        *((owner.name, each) for owner in owners for each in owner.body),
        *(("", each) for each in module.tree.body),
    ]
    for owner, function in functions:
        if not isinstance(function, ast.FunctionDef):
            continue
        variables, written = _follow(function, owner, classes)
        for target in written:
            known = classes.get(_class_of(target.value, variables, classes))
            if known is not None and not known.is_dataclass and known.module != module.name:
                found.append((target.lineno, ast.unparse(target)))
    return found


def test_no_attribute_of_a_collaborator_is_assigned() -> None:
    parts = [each for name, each in modules().items() if name.startswith("gradviz.recorder.")]
    assert len(parts) > 50
    assert foreign_writes(parts) == []


LOG = """
@dataclass
class Record:
    step: int
    log: Log | None = None

class Log:
    def __init__(self):
        self.alive = True
        self.alive = False

def close(log: Log):
    log.alive = False
"""


@pytest.mark.parametrize(
    ("source", "written"),
    [
        ("def f(log: Log):\n    log.alive = False", ["log.alive"]),
        ("def f(log: Log | None):\n    log.more += 1", ["log.more"]),
        ("def f():\n    log = Log()\n    log.a = log.b = 1", ["log.a", "log.b"]),
        ("def f(record: Record):\n    record.log.alive = False", ["record.log.alive"]),
        (
            "class A:\n    def __init__(self, log: Log):\n        self._log = log\n"
            "    def f(self):\n        self._log.alive = False",
            ["self._log.alive"],
        ),
        ("def f(record: Record):\n    record.step = 2", []),
        ("class A:\n    def __init__(self, log: Log):\n        self.log = log", []),
        ("def f(log: Log):\n    print(log.alive)", []),
    ],
)
def test_writes_are_found(source: str, written: list[str]) -> None:
    path = next(iter(modules().values())).path
    parts = [Module("log", path, ast.parse(LOG)), Module("user", path, ast.parse(source))]
    assert [each.rpartition(" ")[2] for each in foreign_writes(parts)] == written
