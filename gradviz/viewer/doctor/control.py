"""Shows the number of findings in the Doctor's tab."""

from __future__ import annotations

from PySide6.QtCore import QObject, Slot
from PySide6.QtWidgets import QDockWidget, QWidget

from gradviz.viewer.doctor.panel import DoctorPanel


class DoctorControl(QObject):
    """Adds the number of warnings and errors to the dock's title.

    Args:
        panel: Finds and counts them.
        dock: The dock whose title changes.
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
        # Qt would also use the title as the menu text and lose its mnemonic.
        action.setText(text)
