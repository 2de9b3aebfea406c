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
        item = self._library.currentItem() if at is None else self._library.itemAt(at)
        if item is None or item.childCount():
            return
        run = menu.addAction(translate("ContextMenus", "&Run"))
        run.triggered.connect(lambda: self._library.pick(item))
        copy = menu.addAction(translate("ContextMenus", "&Copy Name"))
        copy.triggered.connect(partial(copy_text, item.text(0)))

    def _place(self) -> QPoint:
        return self._library.visualRect(self._library.currentIndex()).center()
