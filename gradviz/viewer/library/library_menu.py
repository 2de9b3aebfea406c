"""The library's context menu."""

from __future__ import annotations

from functools import partial

from PySide6.QtCore import QPoint
from PySide6.QtWidgets import QMenu

from gradviz.viewer.commands.context_menu import ContextMenu, copy_text
from gradviz.viewer.library.panel import LibraryPanel
from gradviz.viewer.translation import translate


class LibraryMenu:
    """The library's context menu: run the entry or copy its name."""

    def __init__(self, library: LibraryPanel) -> None:
        self._library = library
        self.menu = ContextMenu(library, self._fill, self._place)

    def _fill(self, menu: QMenu, at: QPoint | None) -> None:
        library = self._library
        entry = library.entry_at(library.currentIndex() if at is None else library.indexAt(at))
        if entry is None:
            return
        run = menu.addAction(translate("ContextMenus", "&Run"))
        run.triggered.connect(lambda: library.pick(entry))
        copy = menu.addAction(translate("ContextMenus", "&Copy Name"))
        copy.triggered.connect(partial(copy_text, entry.cell.text))

    def _place(self) -> QPoint:
        return self._library.visualRect(self._library.currentIndex()).center()
