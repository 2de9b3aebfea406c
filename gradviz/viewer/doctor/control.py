"""Counts in the tab of the Doctor what it has found."""

from __future__ import annotations

from PySide6.QtCore import QObject, Slot
from PySide6.QtWidgets import QDockWidget, QWidget

from gradviz.viewer.doctor.panel import DoctorPanel


class DoctorControl(QObject):
    """Writes the number of warnings and errors into the title of the dock.

    Args:
        panel: What finds them.
        dock: Whose title it is.
        parent: The window.
    """

    def __init__(self, panel: DoctorPanel, dock: QDockWidget, parent: QWidget) -> None:
        super().__init__(parent)
        self._dock = dock
        panel.findings_counted.connect(self._on_panel_findings_counted)

    @Slot(object)
    def _on_panel_findings_counted(self, count: int) -> None:
        title = self.tr("Doctor")
        action, text = self._dock.toggleViewAction(), self._dock.toggleViewAction().text()
        self._dock.setWindowTitle(f"{title} ({count})" if count else title)
        # Qt would take the title for the menu, where the letter that chooses it stands.
        action.setText(text)
