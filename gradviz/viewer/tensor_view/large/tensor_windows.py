"""Opens tensors in their own windows, which can be docked like any panel."""

from __future__ import annotations

from typing import TYPE_CHECKING

from PySide6.QtCore import QObject, QPoint, QSettings, Qt, Signal
from PySide6.QtWidgets import QDockWidget, QMainWindow

from gradviz.viewer.background import Background
from gradviz.viewer.state import ViewerState
from gradviz.viewer.tensor_refs import TensorRef
from gradviz.viewer.view_requests import ViewRequests
from gradviz.viewer.widgets.wayland import FloatingDockMover, is_wayland

if TYPE_CHECKING:
    from gradviz.viewer.tensor_view.tensor_loader import TensorLoader

# The panel is imported when the first tensor is opened, so that the window starts faster.

_WIDTH, _HEIGHT = 500, 520
_SHIFT = 28
_FROM_LEFT, _FROM_BOTTOM = 14, 150
"""Position of the first window: over the library, which is not needed while stepping."""
_GEOMETRY = "tensor/geometry"


class TensorWindows(QObject):
    """Reuses one window for one tensor after another; leaves windows marked as kept alone.

    Signals:
        message_emitted: A sentence on what was saved, and its kind: ``info`` or ``error``.
    """

    message_emitted = Signal(str, str)

    def __init__(
        self,
        window: QMainWindow,
        state: ViewerState,
        requests: ViewRequests,
        background: Background,
        *,
        remember: bool = True,
    ) -> None:
        super().__init__(window)
        self._window = window
        self._state = state
        self._requests = requests
        self._background = background
        self._remembers = remember
        self._docks: list[QDockWidget] = []
        self._loader: TensorLoader | None = None
        requests.tensor_requested.connect(self._on_tensor_requested)

    @property
    def docks(self) -> tuple[QDockWidget, ...]:
        """Every window that was opened, including closed ones."""
        return tuple(self._docks)

    def _free(self) -> QDockWidget | None:
        """A window that may show another tensor; None without one."""
        from gradviz.viewer.tensor_view.large.tensor_panel import TensorPanel

        for dock in self._docks:
            panel = dock.widget()
            if isinstance(panel, TensorPanel) and not (panel.kept and dock.isVisible()):
                return dock
        return None

    def _open(self) -> QDockWidget:
        from gradviz.viewer.tensor_view.large.tensor_panel import TensorPanel
        from gradviz.viewer.tensor_view.tensor_loader import TensorLoader

        self._loader = self._loader or TensorLoader(self._state, self._background, self)
        dock = QDockWidget(self._window)
        dock.setObjectName(f"tensor {len(self._docks) + 1}")
        panel = TensorPanel(self._state, self._requests, self._loader, self._background, dock)
        panel.title_changed.connect(self._on_panel_title_changed)
        panel.message_emitted.connect(self.message_emitted)
        panel.close_requested.connect(dock.close)
        dock.setWidget(panel)
        self._window.addDockWidget(Qt.DockWidgetArea.RightDockWidgetArea, dock)
        if is_wayland():
            dock.setFeatures(dock.features() & ~QDockWidget.DockWidgetFeature.DockWidgetMovable)
            FloatingDockMover(dock)
        dock.setFloating(True)
        self._place(dock)
        self._docks.append(dock)
        return dock

    def _place(self, dock: QDockWidget) -> None:
        """Restore the last position of the first window; offset each further one."""
        theme = self._state.theme
        stored = QSettings().value(_GEOMETRY) if self._remembers else None
        if stored is None or not dock.restoreGeometry(stored):
            space = self._window.screen().availableGeometry()
            width = min(theme.px(_WIDTH), space.width() - 40)
            height = min(theme.px(_HEIGHT), space.height() - 60)
            dock.resize(width, height)
            corner = self._window.geometry().bottomLeft()
            dock.move(corner + QPoint(_FROM_LEFT, -height - theme.px(_FROM_BOTTOM)))
        shift = _SHIFT * len(self._docks)
        dock.move(dock.pos() + QPoint(shift, shift))

    def close(self) -> None:
        """Save the position of the first window and close all of them."""
        if self._docks and self._remembers and self._docks[0].isFloating():
            QSettings().setValue(_GEOMETRY, self._docks[0].saveGeometry())
        for dock in self._docks:
            dock.close()

    def _on_tensor_requested(self, ref: TensorRef) -> None:
        from gradviz.viewer.tensor_view.large.tensor_panel import TensorPanel

        dock = self._free() or self._open()
        panel = dock.widget()
        dock.show()
        dock.raise_()
        if isinstance(panel, TensorPanel):
            panel.show_tensor_ref(ref)
            if dock.isFloating():
                dock.activateWindow()
            panel.view.focus_view()

    def _on_panel_title_changed(self, name: str) -> None:
        for dock in self._docks:
            if dock.widget() is self.sender():
                dock.setWindowTitle(self.tr("Tensor {name}").format(name=name))
