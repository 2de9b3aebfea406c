"""Builds what the Library panel gets after the window is shown."""

from __future__ import annotations

from collections.abc import Hashable
from functools import partial

from PySide6.QtWidgets import QMenu

from gradviz.drawing.graphviz.layout_engine import LayoutError
from gradviz.drawing.graphviz.sketch_layout import graph_sketch
from gradviz.model.inputs import Offer
from gradviz.store.errors import TraceError
from gradviz.viewer.commands.context_menu import copy_text
from gradviz.viewer.library.panel import LibraryPanel
from gradviz.viewer.panel_context import PanelContext
from gradviz.viewer.translation import translate


def make_panel(context: PanelContext) -> None:
    """Add the context menu; the panel itself is part of the window's frame."""
    library = context.parts[LibraryPanel]

    def fill(menu: QMenu, key: Hashable) -> None:
        entry = library.entry_at(library.rows.place_of(key))
        if entry is None:
            return
        run = menu.addAction(translate("ContextMenus", "&Run"))
        run.triggered.connect(lambda: library.pick(entry))
        copy = menu.addAction(translate("ContextMenus", "&Copy Name"))
        copy.triggered.connect(partial(copy_text, entry.row.texts[0]))

    library.add_to_menu(fill)
    context.session.offer_changed.connect(partial(_sketch_run, context, library))


def _sketch_run(context: PanelContext, library: LibraryPanel, offer: Offer | None) -> None:
    """Draw the graph of a file's run small, for its entry."""
    index = context.state.index
    if index is None or offer is None or not offer.subject.path:
        return
    context.background.start(
        lambda job: graph_sketch(index),
        partial(library.show_sketch, offer.subject),
        # The graph itself says why it cannot be shown.
        lambda error: None,
        lane="library",
        expected=(LayoutError, TraceError),
        computes=True,
    )
