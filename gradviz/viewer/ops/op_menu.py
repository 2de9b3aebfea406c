"""The op table's context menu."""

from __future__ import annotations

from functools import partial

from PySide6.QtCore import QPoint
from PySide6.QtWidgets import QMenu

from gradviz.viewer.commands.context_menu import ContextMenu, copy_text
from gradviz.viewer.ops.panel import OpsPanel
from gradviz.viewer.tensor_refs import TensorRef
from gradviz.viewer.translation import translate


class OpsMenu:
    """The op table's context menu: go to the op, enlarge its tensors, copy rows."""

    def __init__(self, ops: OpsPanel) -> None:
        self._ops = ops
        self.menu = ContextMenu(ops.view, self._fill, self._place)

    def _fill(self, menu: QMenu, at: QPoint | None) -> None:
        view, rows = self._ops.view, self._ops.rows
        place = view.currentIndex() if at is None else view.indexAt(at)
        row = place.row()
        if rows.row_at(row) is None:
            return
        view.setCurrentIndex(place)
        op = rows.op_in(row)
        go = menu.addAction(
            translate("ContextMenus", "&Go to Op")
            if op is not None
            else translate("ContextMenus", "&Go There")
        )
        go.triggered.connect(lambda: self._ops.go_to_row(row))
        menu.addSeparator()
        for ref in self._ops.tensor_refs_in(row):
            text = translate("ContextMenus", "&Enlarge {0}").format(ref.name.replace("&", "&&"))
            menu.addAction(text).triggered.connect(partial(_see, self._ops, ref))
        menu.addSeparator()
        if op is not None:
            menu.addAction(translate("ContextMenus", "&Copy Row")).triggered.connect(
                partial(copy_text, rows.text_of(row))
            )
        menu.addAction(translate("ContextMenus", "Copy &Table")).triggered.connect(
            lambda: copy_text(rows.table())
        )

    def _place(self) -> QPoint:
        view = self._ops.view
        return view.visualRect(view.currentIndex()).center()


def _see(ops: OpsPanel, ref: TensorRef, checked: bool = False) -> None:
    ops.see(ref)
