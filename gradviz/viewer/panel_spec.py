"""How a panel declares itself to the window."""

from __future__ import annotations

from dataclasses import dataclass
from importlib import import_module
from typing import Any, Literal, TypeVar, cast

from gradviz.viewer.local_keys import KeyScope

T = TypeVar("T")

DockArea = Literal["left", "right"]


class WindowParts:
    """The parts of one window that are built so far, found by their class."""

    def __init__(self) -> None:
        self._parts: dict[type[object], object] = {}

    def add(self, part: T) -> T:
        """Add a part and return it."""
        self._parts[type(part)] = part
        return part

    def __getitem__(self, kind: type[T]) -> T:
        """Return the part of a class.

        Raises:
            KeyError: If it is not built yet.
        """
        return cast(T, self._parts[kind])


@dataclass(frozen=True, slots=True, kw_only=True)
class PanelSpec:
    """The declaration of a panel, in the ``__init__`` of its folder in `gradviz.viewer`.

    Attributes:
        name: Name of the dock in stored layouts; never shown and never changed.
        title: Title with the mnemonic for the menu, marked for translation in the context
            ``Panels``.
        area: Side of the window, at first; panels on the left open over the graph unless pinned.
        icon: Name of the icon of a panel on the left, for the bar at the left edge.
        tab_of: Name of the panel whose place it shares as a tab, at first; empty for none.
        shown: Whether it is visible at first.
        keys: Keys of the panel while it has the focus.
        factory: Module and name of a function that builds the panel from a `PanelContext`, as in
            ``package.module:function``; another file is imported only when the panel is built.
    """

    name: str
    title: str
    area: DockArea
    factory: str
    icon: str = ""
    tab_of: str = ""
    shown: bool = True
    keys: KeyScope | None = None

    def load_factory(self) -> Any:
        """Import the function that builds the panel."""
        module, _, name = self.factory.partition(":")
        return getattr(import_module(module), name)
