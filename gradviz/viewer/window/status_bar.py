"""The status bar: current work with its progress and a Cancel button, and trace facts."""

from __future__ import annotations

from PySide6.QtCore import Qt, Signal, Slot
from PySide6.QtGui import QPalette
from PySide6.QtWidgets import QLabel, QProgressBar, QStatusBar, QToolButton, QWidget

from gradviz.analysis.index.trace_index import TraceIndex
from gradviz.protocol.messages import Ready
from gradviz.viewer.actions import Actions, tip_of
from gradviz.viewer.session.session import Session
from gradviz.viewer.session.work_status import CurrentWork
from gradviz.viewer.state import ViewerState
from gradviz.viewer.theme.icons import icon
from gradviz.viewer.theme.theme import SMALL_PIXELS, Theme
from gradviz.viewer.translation import plural, translate
from gradviz.viewer.widgets.elided_label import ElidedLabel

_MOST_NAME = 40
"""Maximum number of characters of a file name."""
_HEIGHT, _BAR = 30, 140


class WindowStatusBar(QStatusBar):
    """Shows the current work and facts about the state's trace.

    Signals:
        cancel_requested: The user asked to cancel the current work.
    """

    cancel_requested = Signal()

    def __init__(
        self,
        state: ViewerState,
        session: Session,
        actions: Actions,
        parent: QWidget | None = None,
    ) -> None:
        super().__init__(parent)
        self._session = session
        self._doing: CurrentWork | None = None
        self.doing = ElidedLabel(pixels=SMALL_PIXELS)
        self.bar = QProgressBar()
        self.cancel = QToolButton()
        self.watched = QLabel()
        self.facts = QLabel()
        self._lay_out(actions)
        session.ready_changed.connect(self._on_session_ready_changed)
        state.trace_changed.connect(self._on_state_trace_changed)
        state.theme_changed.connect(self._on_state_theme_changed)
        self._on_state_theme_changed(state.theme)
        self._on_state_trace_changed(state.index)
        self.show_work(None)

    def _lay_out(self, actions: Actions) -> None:
        for label in (self.doing, self.watched, self.facts):
            # By default Qt guesses, and would take a file name such as `<b>.py` for HTML.
            label.setTextFormat(Qt.TextFormat.PlainText)
            label.setContentsMargins(10, 2, 10, 2)
        self.bar.setTextVisible(False)
        self.bar.setAccessibleName(self.tr("Progress"))
        self.cancel.setText(self.tr("Cancel"))
        self.cancel.setToolTip(tip_of(actions.cancel, self.tr("Cancel the current work")))
        self.cancel.setToolButtonStyle(Qt.ToolButtonStyle.ToolButtonTextBesideIcon)
        self.cancel.setAutoRaise(True)
        # A click must not take the focus, as the button disappears afterward.
        self.cancel.setFocusPolicy(Qt.FocusPolicy.TabFocus)
        self.cancel.clicked.connect(self.cancel_requested)
        self.setSizeGripEnabled(False)
        self.addWidget(self.doing, 1)
        self.addWidget(self.bar)
        self.addWidget(self.cancel)
        self.addPermanentWidget(self.watched)
        self.addPermanentWidget(self.facts)
        self.watched.hide()

    @Slot(object)
    def show_work(self, doing: CurrentWork | None) -> None:
        """Show the current work, or that there is none."""
        self._doing = doing
        self.bar.setVisible(doing is not None and doing.total > 0)
        self.cancel.setVisible(doing is not None and doing.cancellable)
        if doing is None:
            ready = self._session.ready is not None
            text = self.tr("Ready") if ready else self.tr("Importing PyTorch…")
            self.doing.setText(text)
            return
        self.bar.setRange(0, doing.total)
        self.bar.setValue(doing.done)
        if doing.seconds:
            self.doing.setText(self.tr("{0} ({1} s)").format(doing.text, doing.seconds))
        else:
            self.doing.setText(self.tr("{0}…").format(doing.text))

    @Slot(str)
    def show_watched(self, name: str) -> None:
        """Show which file runs again when it is saved; hidden if the name is empty."""
        cut = name if len(name) <= _MOST_NAME else f"{name[:_MOST_NAME]}…"
        self.watched.setText(self.tr("{0} runs again when saved").format(cut))
        self.watched.setVisible(bool(name))

    @Slot(object)
    def _on_session_ready_changed(self, ready: Ready) -> None:
        self.show_work(self._doing)

    @Slot(object)
    def _on_state_theme_changed(self, theme: Theme) -> None:
        # Reserve the button's height, so that nothing moves when it appears.
        self.setMinimumHeight(theme.px(_HEIGHT))
        self.bar.setFixedSize(theme.px(_BAR), theme.px(8))
        palette = self.bar.palette()
        palette.setColor(QPalette.ColorRole.Highlight, theme.color("accent"))
        self.bar.setPalette(palette)
        self.doing.set_theme(theme)
        self.cancel.setFont(theme.font(SMALL_PIXELS))
        self.cancel.setIcon(icon("stop", theme))
        for label in (self.watched, self.facts):
            label.setFont(theme.font(SMALL_PIXELS))

    @Slot(object)
    def _on_state_trace_changed(self, index: TraceIndex | None) -> None:
        self.facts.setText("" if index is None else trace_facts_of(index))


def trace_facts_of(index: TraceIndex) -> str:
    """Return a trace's step and tensor counts, duration, device and torch version."""
    trace = index.trace
    parts = [
        _steps(len(trace.steps)),
        _tensors(len(trace.tensors)),
    ]
    if any(each.code == "trace_damaged" for each in trace.findings):
        parts.append(translate("Status", "damaged: some records are missing"))
    if trace.outcome is None:
        parts.append(translate("Status", "recording incomplete"))
    else:
        parts.append(
            translate("Status", "recorded in {0}").format(_duration(trace.outcome.duration_ns))
        )
    parts += [trace.origin.device[:60], f"torch {trace.origin.torch[:40]}"]
    return "   ·   ".join(parts)


def _steps(count: int) -> str:
    return plural.tr("%Ln step(s)", "", count)


def _tensors(count: int) -> str:
    return plural.tr("%Ln tensor(s)", "", count)


def _duration(nanoseconds: int) -> str:
    if nanoseconds < 1_000_000_000:
        return translate("Status", "{0:.3g} ms").format(nanoseconds / 1e6)
    return translate("Status", "{0:.3g} s").format(nanoseconds / 1e9)
