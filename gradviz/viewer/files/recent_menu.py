"""The File > Open Recent menu, with a shortcut for each file."""

from __future__ import annotations

from pathlib import Path

from PySide6.QtCore import QObject, Signal, Slot
from PySide6.QtGui import QAction, QKeySequence
from PySide6.QtWidgets import QMenu, QWidget

from gradviz.viewer.files.recent_files import MOST_RECENT, RecentFiles


class RecentMenu(QMenu):
    """Shows the recent files; its shortcuts also work while it is closed.

    Signals:
        picked: Path of the file to open.
    """

    picked = Signal(object)

    def __init__(self, recent: RecentFiles, parent: QWidget) -> None:
        super().__init__(parent)
        self.setTitle(self.tr("Open &Recent"))
        self._recent = recent
        self._entries = [self._entry(number) for number in range(1, MOST_RECENT + 1)]
        self.addSeparator()
        self.clear_list = self.addAction(self.tr("&Clear List"))
        self.clear_list.triggered.connect(recent.clear)
        recent.changed.connect(self._on_recent_changed)
        self._on_recent_changed()

    def _entry(self, number: int) -> QAction:
        entry = self.addAction("")
        entry.setShortcut(QKeySequence(f"Ctrl+{number}"))
        entry.triggered.connect(self._on_entry_triggered)
        return entry

    @Slot()
    def _on_recent_changed(self) -> None:
        paths = self._recent.paths
        for number, entry in enumerate(self._entries, 1):
            there = number <= len(paths)
            entry.setVisible(there)
            entry.setEnabled(there)
            if there:
                path = paths[number - 1]
                entry.setText(f"&{number}  {path.name.replace('&', '&&')}")
                entry.setToolTip(str(path))
                entry.setData(path)
        self.menuAction().setEnabled(bool(paths))

    @Slot()
    def _on_entry_triggered(self) -> None:
        entry: QObject | None = self.sender()
        if isinstance(entry, QAction):
            self.picked.emit(Path(entry.data()))
