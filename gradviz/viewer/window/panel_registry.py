"""All panels of the window; each one declares itself in its file or package as ``PANEL``."""

from __future__ import annotations

from collections.abc import Iterable
from importlib import import_module

from gradviz.viewer.local_keys import (
    ELEMENT_KEYS,
    FIND_KEYS,
    GRAPH_KEYS,
    LARGE_TENSOR_KEYS,
    PALETTE_KEYS,
    PRESENTER_KEYS,
    SPOTLIGHT_KEYS,
    TENSOR_KEYS,
    TIMELINE_KEYS,
    KeyScope,
)
from gradviz.viewer.panel_spec import PanelSpec

PANEL_PACKAGES: tuple[str, ...] = (
    "gradviz.viewer.library",
    "gradviz.viewer.inputs",
    "gradviz.viewer.outline",
    "gradviz.viewer.inspector",
    "gradviz.viewer.source",
    "gradviz.viewer.locals",
    "gradviz.viewer.ops",
    "gradviz.viewer.console",
    "gradviz.viewer.doctor",
    "gradviz.viewer.training",
    "gradviz.viewer.breakpoints",
    "gradviz.viewer.provenance",
    "gradviz.viewer.what_if",
    "gradviz.viewer.guide",
    "gradviz.viewer.lesson",
)
"""The modules or packages of the panels, in the order of the Panels menu and of tabs."""


def panel_specs() -> tuple[PanelSpec, ...]:
    """Return the declarations of all panels, in the order of the Panels menu."""
    return tuple(_spec_in(package) for package in PANEL_PACKAGES)


def _spec_in(package: str) -> PanelSpec:
    spec = import_module(package).PANEL
    assert isinstance(spec, PanelSpec)
    return spec


def build_order(specs: Iterable[PanelSpec]) -> tuple[list[PanelSpec], list[PanelSpec]]:
    """Split panels into those in front, which are built first, and the tabs behind them."""
    ordered = sorted(specs, key=lambda spec: not spec.shown)
    in_front = [spec for spec in ordered if not spec.tab_of]
    return in_front, [spec for spec in ordered if spec.tab_of]


def key_scopes() -> tuple[KeyScope, ...]:
    """Return the keys of all widgets, in the order of the list of keyboard shortcuts."""
    panels = tuple(spec.keys for spec in panel_specs() if spec.keys is not None)
    central_keys = (TIMELINE_KEYS, GRAPH_KEYS, PRESENTER_KEYS, SPOTLIGHT_KEYS)
    inside = (TENSOR_KEYS, LARGE_TENSOR_KEYS, ELEMENT_KEYS)
    return (*central_keys, *panels, *inside, FIND_KEYS, PALETTE_KEYS)
