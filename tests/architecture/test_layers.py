"""Every file of the package follows the import table, and violations are detected."""

from __future__ import annotations

import ast
from pathlib import Path, PurePosixPath

import pytest

from tests.architecture.layers import FREE, PACKAGE, TABLE, violations
from tests.architecture.modules import modules


def test_the_import_table_holds() -> None:
    found = [text for module in modules().values() for text in violations(module.path, module.tree)]
    assert not found, "\n".join(found)


@pytest.mark.parametrize(
    ("path", "source", "message"),
    [
        ("model/tensor.py", "import torch", "model/tensor.py:1: model may not import torch"),
        ("model/tensor.py", "def f():\n    import torch", "tensor.py:2: model may not"),
        ("store/read.py", "from gradviz.recorder.hooks import Hook", "may not import recorder"),
        ("store/read.py", "from gradviz import drawing", "may not import drawing"),
        ("store/read.py", "from .. import drawing", "may not import drawing"),
        ("store/read.py", "from ..drawing.dot import text", "may not import drawing"),
        ("store/read.py", "importlib.import_module('gradviz.viewer')", "may not import viewer"),
        ("store/read.py", "class A:\n    import gradviz.viewer", "may not import viewer"),
        ("viewer/window.py", "import torch.nn", "may not import torch"),
        ("viewer/window.py", "from gradviz.gallery import scenes", "import gallery.scenes"),
        ("viewer/window.py", "from gradviz.gallery.scenes.exp import f", "import gallery.scenes"),
        ("host/child.py", "import PySide6.QtCore", "may not import PySide6"),
        ("drawing/graphviz/layout_dot.py", "import pygraphviz", "may not import pygraphviz"),
        ("cli/steps.py", "import gradviz.store", "store inside functions only"),
        ("viewer/w.py", "if TYPE_CHECKING:\n    import torch", "may not import torch"),
        ("__init__.py", "from gradviz.recorder import record", "recorder inside functions only"),
        ("preflight.py", "import gradviz.model", "preflight may not import model"),
        ("preflight.py", "import numpy", "preflight may not import numpy"),
        ("gallery/scenes/exp.py", "import gradviz.model", "may not import model"),
        ("misc/stuff.py", "", "'misc' is not in the table"),
        ("stuff.py", "", "'stuff' is not in the table"),
    ],
)
def test_it_can_be_broken(path: str, source: str, message: str) -> None:
    (found,) = violations(PurePosixPath(path), ast.parse(source))
    assert message in found


@pytest.mark.parametrize(
    ("path", "source"),
    [
        ("model/tensor.py", "import numpy as np, sqlite3, os.path"),
        ("model/tensor.py", "from gradviz.model.graph import Node\nfrom . import graph"),
        ("viewer/window.py", "from gradviz.gallery.registry import SCENES"),
        ("viewer/window.py", "from gradviz.gallery import registry"),
        ("drawing/graphviz/library_process.py", "import pygraphviz"),
        ("cli/steps.py", "from gradviz.cli.output import say"),
        ("cli/steps.py", "def run():\n    from gradviz.viewer.app import main"),
        ("cli/steps.py", "if TYPE_CHECKING:\n    from gradviz.model.trace import Trace"),
        ("cli/version.py", "from gradviz import __version__"),
        ("__init__.py", "def __getattr__(name):\n    from gradviz.recorder import record"),
        ("store/read.py", "from gradviz.resource import resource_path"),
    ],
)
def test_it_allows_what_it_should(path: str, source: str) -> None:
    assert violations(PurePosixPath(path), ast.parse(source)) == []


def test_no_cycle_can_be_written_down() -> None:
    done: set[str] = set(FREE)
    left = {name: rule.ours for name, rule in TABLE.items()}
    while left:
        ready = {name for name, needs in left.items() if needs <= done}
        assert ready, f"these layers import each other: {sorted(left)}"
        done |= ready
        left = {name: needs for name, needs in left.items() if name not in ready}


def test_every_folder_is_a_package() -> None:
    inits = [path / "__init__.py" for path in folders(PACKAGE)]
    assert [str(path) for path in inits if not path.exists()] == []


def folders(package: Path) -> list[Path]:
    return [package, *sorted({path.parent for path in package.rglob("*.py")} - {package})]
