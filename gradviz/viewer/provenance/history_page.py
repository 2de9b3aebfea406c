"""Page with the versions of a tensor's memory, found in the background."""

from __future__ import annotations

from collections.abc import Hashable

from PySide6.QtCore import Qt
from PySide6.QtWidgets import QHBoxLayout, QPushButton, QStackedLayout, QVBoxLayout, QWidget

from gradviz.analysis.index.trace_index import TraceIndex
from gradviz.document.memory_history import MemoryHistory, memory_history
from gradviz.viewer.background import Background, BackgroundJob
from gradviz.viewer.provenance.origin_inquiry import ProducerCache, look_up
from gradviz.viewer.rows.rows_view import ColumnWidth, RowsView
from gradviz.viewer.state import ViewerState
from gradviz.viewer.tensor_refs import TensorRef
from gradviz.viewer.theme.theme import UI_PIXELS
from gradviz.viewer.theme.theme_update import set_theme_font
from gradviz.viewer.widgets.layouts import lay_out
from gradviz.viewer.widgets.plain_text import PlainLabel, show_text

LANE = "history"


_WIDTHS = (
    ColumnWidth(92),
    ColumnWidth(60),
    ColumnWidth(52),
    ColumnWidth(48),
    # The sentence names the op anyway.
    ColumnWidth(130, drop=1),
    ColumnWidth(320, grows=1),
    ColumnWidth(120),
)


class HistoryPage(QWidget):
    """Shows the version history of a tensor; looks it up only on request."""

    def __init__(
        self, state: ViewerState, background: Background | None, producer_cache: ProducerCache
    ) -> None:
        super().__init__()
        self._state = state
        self._background = background
        self._producer_cache = producer_cache
        self._chronicle: MemoryHistory | None = None
        self.title = PlainLabel(pixels=UI_PIXELS, bold=True)
        self.other = QPushButton(self.tr("Origin"))
        self.clash = PlainLabel(pixels=UI_PIXELS)
        self._ref: TensorRef | None = None
        self.table = RowsView(state.theme, _WIDTHS, wraps=True)
        self.table.setObjectName("versions")
        self.table.setAccessibleName(self.tr("Versions of the tensor's memory"))
        self._sentence = PlainLabel(muted=True)
        self._sentence.setAlignment(Qt.AlignmentFlag.AlignCenter)
        self._lay_out()
        self.table.chosen.connect(self._on_table_chosen)
        state.trace_changed.connect(self._on_state_trace_changed)
        state.step_changed.connect(self._show)
        state.revealed_changed.connect(self._show)
        set_theme_font(self.other, state.theme)
        self._on_state_trace_changed(state.index)

    def _lay_out(self) -> None:
        head = lay_out(QHBoxLayout(), (self.title, 1), self.other, margins=(8, 4, 8, 0))
        self.clash.setContentsMargins(8, 0, 8, 0)
        self._sentence.setContentsMargins(16, 8, 16, 8)
        self._pages = QStackedLayout()
        lay_out(QVBoxLayout(self), head, self.clash, (self._pages, 1), gap=4)
        # Only now: without a parent, the first page would open as a window and take the keyboard.
        self._pages.addWidget(self._sentence)
        self._pages.addWidget(self.table)

    @property
    def text(self) -> str:
        """The message shown in place of the table; empty if the table is shown."""
        return self._sentence.text() if self._pages.currentIndex() == 0 else ""

    @property
    def ref(self) -> TensorRef | None:
        """The tensor whose history is shown, or None."""
        return None if self._chronicle is None else self._ref

    def ask(self, ref: TensorRef) -> None:
        """Look up the history of a tensor."""
        index = self._state.index
        if index is None:
            return
        self._chronicle, self._ref = None, ref
        self._say(self.tr("Finding versions…"))

        def work(job: BackgroundJob | None) -> MemoryHistory:
            producers = self._producer_cache.producers(index)
            cancelled = bool if job is None else job.cancelled
            return memory_history(index, producers, ref.tensor, cancelled)

        look_up(self._background, work, self._on_work_done, self._on_work_failed, LANE)

    def _on_work_done(self, chronicle: MemoryHistory) -> None:
        self._chronicle = chronicle
        self._show()

    def _on_work_failed(self, error: Exception) -> None:
        self._say(self.tr("The history cannot be found: {reason}").format(reason=error))

    def _show(self) -> None:
        chronicle, revealed = self._chronicle, self._state.revealed
        if chronicle is None or self._ref is None:
            return
        name = " ".join(self._ref.name.split())
        if chronicle.history is None:
            self._say(self.tr("The memory of {name} was not recorded.").format(name=name))
            return
        document = chronicle.document(self._state.number, revealed)
        if not document.keys:
            self._show_hidden_message()
            return
        complete = revealed.is_complete
        self.title.setText(self._title(len(document.keys), complete=complete).format(name=name))
        show_text(self.clash, "\n".join(chronicle.clashes) if complete else "")
        self.table.show_document(document)
        self._pages.setCurrentWidget(self.table)

    def _title(self, count: int, *, complete: bool) -> str:
        if count > 1:
            return self.tr("History of {name}: %Ln version(s)", "", count)
        if not complete:
            return self.tr("History of {name}: one version so far")
        return self.tr("History of {name}: one version. No in-place change was recorded.")

    def _say(self, text: str) -> None:
        self.title.setText(self.tr("History of a tensor"))
        self.clash.hide()
        self._sentence.setText(text)
        self._pages.setCurrentWidget(self._sentence)

    def _show_hidden_message(self) -> None:
        self._say(self.tr("Hidden in quiz mode until the answer is revealed."))

    def _on_table_chosen(self, key: Hashable, column: int) -> None:
        link = self.table.rows.document.row(key).link
        if link is not None and link.place is not None:
            self._state.go_to_place(link.place, link.place.level)

    def _on_state_trace_changed(self, index: TraceIndex | None) -> None:
        if self._background is not None:
            self._background.cancel(LANE)
        self._chronicle = None
        self._say(
            self.tr(
                "This page lists the versions of a tensor's memory and what created each "
                "of them. To open it, choose History of This Tensor in a tensor's menu."
            )
        )
