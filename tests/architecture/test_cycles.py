"""There are no import cycles, not even inside functions or for types."""

from __future__ import annotations

import ast
from pathlib import PurePosixPath

from tests.architecture.modules import Module, cycles, import_graph, modules


def test_no_import_cycles() -> None:
    assert cycles(import_graph(modules())) == []


def test_every_kind_of_import_is_followed() -> None:
    sources = {
        "gradviz": "def f():\n    from gradviz.a import b",
        "gradviz.a": "from .a import b",
        "gradviz.a.b": "from typing import TYPE_CHECKING\nif TYPE_CHECKING:\n    from . import c",
        "gradviz.a.c": "import gradviz.a.d",
        "gradviz.a.d": "from .b import B",
        "gradviz.e": "from gradviz import __version__",
    }
    packages = {"gradviz", "gradviz.a"}
    found = {
        name: Module(
            name,
            PurePosixPath("__init__.py" if name in packages else f"{name}.py"),
            ast.parse(source),
        )
        for name, source in sources.items()
    }
    graph = import_graph(found)
    assert graph["gradviz"] == {"gradviz.a.b"}
    assert graph["gradviz.e"] == {"gradviz"}
    assert cycles(graph) == [["gradviz.a.b", "gradviz.a.c", "gradviz.a.d"]]


def test_cycles_through_a_shared_node_are_one_group() -> None:
    graph = {"a": {"b"}, "b": {"a", "c"}, "c": {"d"}, "d": {"b"}, "e": {"a"}, "f": set()}
    assert cycles(graph) == [["a", "b", "c", "d"]]
