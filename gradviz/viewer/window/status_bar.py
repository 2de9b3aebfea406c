"""The status in the bottom strip: current work with its progress, and trace facts."""

from __future__ import annotations

from collections.abc import Iterator

from PySide6.QtCore import QTimer, Signal
from PySide6.QtGui import QPalette
from PySide6.QtWidgets import QHBoxLayout, QProgressBar, QWidget

from gradviz.analysis.index.trace_index import TraceIndex
from gradviz.catalogue.visible_text import visible_text
from gradviz.document.ops import duration_text
from gradviz.text.scope import scope_notes, scope_sentences
from gradviz.viewer.session.session import Session
from gradviz.viewer.session.work_status import CurrentWork
from gradviz.viewer.state import ViewerState
from gradviz.viewer.theme.theme import SMALL_PIXELS
from gradviz.viewer.translation import plural, translate
from gradviz.viewer.widgets.elided_label import ElidedLabel
from gradviz.viewer.widgets.layouts import lay_out
from gradviz.viewer.widgets.plain_text import plain_tooltip, show_text
from gradviz.viewer.widgets.screen_reader import announce

_MOST_NAME = 40
"""Maximum number of characters of a file name."""
_BAR = 70
_SHORT_MS = 4000
"""Time for which a message takes the place of the step number."""


class WindowStatusBar(QWidget):
    """Shows the current work or a message, and hides if there is neither.

    Signals:
        shown: Whether there is work or a message to show.
        details_changed: All facts about the state's trace, as a tooltip.

    Attributes:
        facts: A label for another place, with facts about the state's trace.
    """

    shown = Signal(bool)
    details_changed = Signal(str)

    def __init__(self, state: ViewerState, session: Session, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._state, self._session = state, session
        self._doing: CurrentWork | None = None
        self._watched = self._said = ""
        self._recording = ""
        self.doing = ElidedLabel(pixels=SMALL_PIXELS, bold=True, keeps=True)
        self.bar = QProgressBar()
        self.facts = ElidedLabel(pixels=SMALL_PIXELS, muted=True, keeps=True)
        self._message = QTimer(self, singleShot=True, interval=_SHORT_MS)
        self._message.timeout.connect(self._show)
        self._lay_out()
        session.ready_changed.connect(self._show_facts)
        state.trace_changed.connect(self._show_facts)
        self.update_theme()
        self._show()

    def _lay_out(self) -> None:
        self.bar.setTextVisible(False)
        self.bar.setAccessibleName(self.tr("Progress"))
        lay_out(QHBoxLayout(self), (self.doing, 1), self.bar, gap=6)

    def show_work(self, doing: CurrentWork | None) -> None:
        """Show the current work, or that there is none."""
        self._doing = doing
        self._show()

    def show_watched(self, name: str) -> None:
        """Show which file runs again when it is saved; not shown if the name is empty."""
        cut = name if len(name) <= _MOST_NAME else f"{name[:_MOST_NAME]}…"
        self._watched = self.tr("{0} runs again when saved").format(cut) if name else ""
        self.say(self._watched)

    def say(self, text: str) -> None:
        """Show a sentence for a moment in place of the step number; none if it is empty."""
        self._said = text
        if text:
            self._message.start()
            announce(self, text)
        else:
            self._message.stop()
        self._show()

    def show_recording(self, text: str) -> None:
        """Show that another process is still recording the trace; not shown if empty."""
        self._recording = text
        self._show_facts()

    def _show(self) -> None:
        doing = self._doing
        self.bar.setVisible(doing is not None and doing.total > 0)
        if doing is None:
            self.doing.setText(self._said if self._message.isActive() else "")
        elif doing.seconds:
            self.doing.setText(self.tr("{0} ({1} s)").format(doing.text, doing.seconds))
        else:
            self.doing.setText(self.tr("{0}…").format(doing.text))
        if doing is not None:
            self.bar.setRange(0, doing.total)
            self.bar.setValue(doing.done)
        self.setVisible(bool(self.doing.text()))
        self.shown.emit(bool(self.doing.text()))
        self._show_facts()

    def _show_facts(self) -> None:
        ready = self._session.ready
        activity = self.tr("Importing PyTorch…") if ready is None else self.tr("Ready")
        if ready is not None and ready.problem:
            activity = self.tr("PyTorch is not available")
        index = self._state.index
        short = () if index is None else short_facts_of(index)
        whole = () if index is None else trace_facts_of(index)
        notes = (self._watched,) if self._watched else ()
        if self._recording:
            notes = (*notes, self._recording)
            # A recording that is in progress is not called incomplete as well.
            short, whole = _without_incomplete(short), _without_incomplete(whole)
        # While PyTorch is imported, the work in progress says it in more words.
        if self._session.shows_shipped and ready is not None:
            notes = (*notes, self.tr("recorded beforehand"))
        # What the message says is not said twice.
        others = (note for note in notes if note != self.doing.text())
        texts = (*others, *short)
        is_idle = index is None and self._doing is None
        show_text(self.facts, " · ".join(texts or ((activity,) if is_idle else ())))
        details = visible_text("\n".join((*notes, *whole, activity)), lines=True)
        self.facts.setToolTip(plain_tooltip(details))
        self.facts.setAccessibleDescription(details)
        self.details_changed.emit(self.facts.toolTip())

    def update_theme(self) -> None:
        """Fit fonts, icons and sizes to the theme."""
        self.bar.setFixedSize(self._state.theme.px(_BAR), self._state.theme.px(8))
        palette = self.bar.palette()
        palette.setColor(QPalette.ColorRole.Highlight, self._state.theme.color("accent"))
        self.bar.setPalette(palette)


def short_facts_of(index: TraceIndex) -> tuple[str, ...]:
    """Return what is unusual about a trace."""
    return (*scope_notes(index.trace.scope), *_defects_of(index))


def trace_facts_of(index: TraceIndex) -> tuple[str, ...]:
    """Return a trace's step and tensor counts, duration, device and torch version."""
    trace = index.trace
    duration: tuple[str, ...] = ()
    if trace.outcome is not None and trace.is_whole:
        text = translate("Status", "recorded in {0}")
        duration = (text.format(duration_text(trace.outcome.duration_ns)),)
    counts = _steps(len(trace.steps)), _tensors(len(trace.tensors))
    scope = scope_sentences(trace.scope)
    reason = () if trace.is_whole or trace.outcome is None else (trace.outcome.message,)
    return (*counts, *scope, *_defects_of(index), *reason, *duration, *_origin_of(index))


def _defects_of(index: TraceIndex) -> Iterator[str]:
    if any(each.code == "trace_damaged" for each in index.trace.findings):
        yield translate("Status", "damaged: some records are missing")
    if not index.trace.is_whole:
        yield _incomplete()


def _incomplete() -> str:
    return translate("Status", "recording incomplete")


def _without_incomplete(facts: tuple[str, ...]) -> tuple[str, ...]:
    return tuple(fact for fact in facts if fact != _incomplete())


def _origin_of(index: TraceIndex) -> tuple[str, str]:
    origin = index.trace.origin
    return origin.device[:60], f"torch {origin.torch[:40]}"


def _steps(count: int) -> str:
    return plural.tr("%Ln step(s)", "", count)


def _tensors(count: int) -> str:
    return plural.tr("%Ln tensor(s)", "", count)
