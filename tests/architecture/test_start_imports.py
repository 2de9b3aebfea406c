"""What is imported before the window shows the first scene, read from the source."""

from __future__ import annotations

import ast
from collections.abc import Iterable
from dataclasses import replace

import pytest

from gradviz.viewer.panel_spec import PanelSpec
from gradviz.viewer.window.panel_registry import build_order, panel_packages, panel_specs
from tests.architecture.modules import imported_by, modules

START = (
    "gradviz.__main__",
    "gradviz.cli.main",
    "gradviz.cli.window",
    "gradviz.viewer.app",
    "gradviz.viewer.window_controller",
    "gradviz.viewer.window.window_assembly",
)
"""The modules whose functions build the window, with the imports in these functions."""

LATE = "gradviz.viewer.presenter.presenter"
"""Imported by such a function, but after the first scene is shown."""


def _imported_at_once(starts: Iterable[str]) -> set[str]:
    """The modules that are imported with some modules, without imports in functions."""
    found = modules()
    reached: set[str] = set()
    new = set(starts)
    while new:
        reached |= new
        packages = {name.rpartition(".")[0] for name in new if "." in name}
        shortened = (replace(found[name], tree=_top_level(found[name].tree)) for name in new)
        new = packages.union(*(imported_by(each, found) for each in shortened)) - reached
    return reached


def _top_level(tree: ast.Module) -> ast.Module:
    imports: list[ast.stmt] = [
        each for each in tree.body if isinstance(each, ast.Import | ast.ImportFrom)
    ]
    return ast.Module(imports, [])


@pytest.fixture(scope="module")
def imported() -> set[str]:
    found = modules()
    building = (imported_by(found[name], found) for name in START)
    in_front, _ = build_order(panel_specs())
    factories = {spec.factory.partition(":")[0] for spec in in_front}
    return _imported_at_once(factories.union(*building) - {LATE})


def test_the_graph_and_the_panels_in_front_are_imported(imported: set[str]) -> None:
    assert "gradviz.viewer.canvas.graph_panel" in imported
    assert "gradviz.viewer.inspector.inspector" in imported


@pytest.mark.parametrize("spec", build_order(panel_specs())[1], ids=lambda spec: spec.name)
def test_panels_behind_others_are_imported_after_the_first_scene(
    spec: PanelSpec, imported: set[str]
) -> None:
    # A panel of one file is imported with its declaration.
    module = spec.factory.partition(":")[0]
    assert module in panel_packages() or module not in imported


@pytest.mark.parametrize(
    "package",
    [
        "gradviz.viewer.stage.",
        "gradviz.story.",
        "gradviz.viewer.lesson.",
        "gradviz.viewer.what_if.",
        "gradviz.analysis.compare.",
        "gradviz.analysis.breakpoints.",
    ],
)
def test_what_no_first_scene_needs_is_imported_after_it(package: str, imported: set[str]) -> None:
    assert [name for name in imported if name.startswith(package)] == []
