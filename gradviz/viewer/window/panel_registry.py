"""All panels of the window; each one declares itself in its package as ``PANEL``."""

from __future__ import annotations

import functools
from collections.abc import Iterable
from importlib import import_module
from pkgutil import iter_modules

from gradviz.viewer.local_keys import (
    ELEMENT_KEYS,
    FIND_KEYS,
    GRAPH_KEYS,
    LARGE_TENSOR_KEYS,
    PALETTE_KEYS,
    PRESENTER_KEYS,
    SPOTLIGHT_KEYS,
    STAGE_NUMBER_KEYS,
    TENSOR_KEYS,
    TIMELINE_KEYS,
    KeyScope,
)
from gradviz.viewer.panel_spec import PanelSpec

_FOLDER = "gradviz.viewer"

_ORDER = (
    *("library", "inputs", "outline", "inspector", "source", "locals", "ops", "console"),
    *("doctor", "breakpoints", "story", "changes", "guide", "lesson"),
)


@functools.cache
def panel_packages() -> tuple[str, ...]:
    """Names of the packages in which panels may declare themselves."""
    folder = import_module(_FOLDER)
    found = iter_modules(folder.__path__, f"{_FOLDER}.")
    return tuple(each.name for each in found if each.ispkg)


def panel_specs() -> tuple[PanelSpec, ...]:
    """Return the declarations of all panels, in the order of the Panels menu and of tabs."""
    found = (getattr(import_module(name), "PANEL", None) for name in panel_packages())
    specs = {spec.name: spec for spec in found if isinstance(spec, PanelSpec)}
    return tuple(specs[name] for name in dict.fromkeys((*_ORDER, *specs)))


def build_order(specs: Iterable[PanelSpec]) -> tuple[list[PanelSpec], list[PanelSpec]]:
    """Split panels into those in front, which are built first, and the tabs behind them."""
    ordered = sorted(specs, key=lambda spec: not spec.shown)
    in_front = [spec for spec in ordered if not spec.tab_of]
    return in_front, [spec for spec in ordered if spec.tab_of]


def key_scopes() -> tuple[KeyScope, ...]:
    """Return the keys of all widgets, in the order of the list of keyboard shortcuts."""
    panels = tuple(spec.keys for spec in panel_specs() if spec.keys is not None)
    central_keys = (TIMELINE_KEYS, GRAPH_KEYS, PRESENTER_KEYS, STAGE_NUMBER_KEYS, SPOTLIGHT_KEYS)
    inside = (TENSOR_KEYS, LARGE_TENSOR_KEYS, ELEMENT_KEYS)
    return (*central_keys, *panels, *inside, FIND_KEYS, PALETTE_KEYS)
