"""How a panel declares itself to the window, and what the window gives to it."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from importlib import import_module
from typing import TYPE_CHECKING, Literal, TypeVar, cast

from PySide6.QtWidgets import QDockWidget, QWidget

from gradviz.viewer.local_keys import KeyScope

if TYPE_CHECKING:
    from gradviz.viewer.actions import Actions
    from gradviz.viewer.background import Background
    from gradviz.viewer.session.session import Session
    from gradviz.viewer.state import ViewerState
    from gradviz.viewer.view_requests import ViewRequests
    from gradviz.viewer.window.main_window import MainWindow

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
    """The declaration of a panel, in its file or in its folder's ``__init__``.

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

    def build(self, context: PanelContext) -> QWidget | None:
        """Build the panel with its controllers; None if its dock is filled in another way."""
        module, _, name = self.factory.partition(":")
        factory: Callable[[PanelContext], QWidget | None] = getattr(import_module(module), name)
        return factory(context)


@dataclass(frozen=True, slots=True, kw_only=True)
class PanelContext:
    """What a panel is built from.

    Attributes:
        state: The state shared by all panels.
        session: Runs code and opens traces.
        background: Runs slow work in threads.
        actions: The window's commands.
        requests: Carries requests to other parts of the window.
        window: The window; parent of the panel's controllers.
        parts: The other parts that are built so far.
        dock: The panel's dock.
    """

    state: ViewerState
    session: Session
    background: Background
    actions: Actions
    requests: ViewRequests
    window: MainWindow
    parts: WindowParts
    dock: QDockWidget
