"""Collects and counts errors, findings, NaN and Inf values, and differences."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import partial

from PySide6.QtCore import QObject, Signal
from PySide6.QtWidgets import QHBoxLayout, QWidget

from gradviz.analysis.index.trace_index import TraceIndex
from gradviz.analysis.values.non_finite_reach import NonFiniteReach
from gradviz.analysis.values.non_finite_tensors import NonFiniteTensor, find_non_finite
from gradviz.catalogue.language import format_count
from gradviz.document.tag import PillTone, Tag
from gradviz.store.errors import TraceError
from gradviz.viewer.background import Background, BackgroundJob
from gradviz.viewer.theme.theme import Theme
from gradviz.viewer.timeline.timeline_marks import (
    MarkKind,
    TimelineMark,
    marks_of,
    marks_of_differences,
    marks_of_values,
)
from gradviz.viewer.widgets.layouts import lay_out
from gradviz.viewer.widgets.pill import Pill

LANE = "alerts"


class AlertCounter(QObject):
    """Collects a trace's marks; values are checked in the background.

    Attributes:
        marks: The marks found so far.

    Signals:
        changed: The new tuple of `TimelineMark`, in step order.
        reach_found: The `NonFiniteReach` of the trace.
    """

    changed = Signal(object)
    reach_found = Signal(object)

    def __init__(self, background: Background | None, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._background = background
        self.marks: tuple[TimelineMark, ...] = ()

    def show_differences(self, steps: tuple[int, ...]) -> None:
        """Replace the marks of the steps that differ from another run."""
        kept = tuple(mark for mark in self.marks if mark.kind != "differs")
        self._show((*kept, *marks_of_differences(steps)))

    def collect(self, index: TraceIndex | None) -> None:
        """Start over with another trace; without a background, this blocks until done."""
        if self._background is not None:
            self._background.cancel(LANE)
        self._show(() if index is None else marks_of(index))
        if index is None:
            return
        if self._background is None:
            self._add(_search(index))
            return

        def search(job: BackgroundJob) -> _NonFinite:
            return _search(index, job.cancelled)

        self._background.start(
            search,
            self._add,
            self._on_search_failed,
            lane=LANE,
            expected=(TraceError,),
            computes=True,
        )

    def _add(self, found: _NonFinite) -> None:
        reach, tensors = found
        self.reach_found.emit(reach)
        if tensors:
            self._show((*self.marks, *marks_of_values(tensors)))

    def _show(self, marks: tuple[TimelineMark, ...]) -> None:
        """Replace the marks and emit `changed`."""
        self.marks = tuple(sorted(marks, key=lambda mark: mark.number))
        self.changed.emit(self.marks)

    def _on_search_failed(self, error: Exception) -> None:
        """Ignore a damaged or missing file; the tensor view reports it."""


_NonFinite = tuple[NonFiniteReach, tuple[NonFiniteTensor, ...]]


def _search(index: TraceIndex, cancelled: Callable[[], bool] = bool) -> _NonFinite:
    index.finite.look(cancelled=cancelled)
    reach = NonFiniteReach(index, cancelled)
    return reach, find_non_finite(index, cancelled, reach)


_PROBLEMS: tuple[MarkKind, ...] = ("error", "not finite", "finding", "isolated")
"""What one chip counts, the worst first, by which it is named."""


class AlertChips(QWidget):
    """A chip for the differences from another run, and one for all problems.

    The latter opens the Doctor if that has findings; else a click goes to the next alert.

    Signals:
        step_requested: Number of the step to go to.
        doctor_requested: The findings were clicked.
    """

    step_requested = Signal(object)
    doctor_requested = Signal()

    def __init__(self, theme: Theme) -> None:
        super().__init__()
        self._theme = theme
        self._number = 0
        self._chips: list[Pill] = []
        self._row = lay_out(QHBoxLayout(self), 1, gap=4)
        self.hide()

    @property
    def chips(self) -> tuple[Pill, ...]:
        """The labels shown."""
        return tuple(self._chips)

    def show_step(self, number: int) -> None:
        """Set the step after which a click searches for the next mark."""
        self._number = number

    def show_marks(self, marks: Sequence[TimelineMark]) -> None:
        """Replace the labels by the counts of these marks."""
        for chip in self.chips:
            self._row.removeWidget(chip)
            chip.hide()
            chip.deleteLater()
        self._chips.clear()
        kinds: tuple[MarkKind, ...]
        for kinds in (("differs",), _PROBLEMS):
            of_kinds = [[mark for mark in marks if mark.kind == kind] for kind in kinds]
            if groups := [each for each in of_kinds if each]:
                self._add(groups)
        self.setVisible(bool(self._chips))

    def _add(self, groups: list[list[TimelineMark]]) -> None:
        worst, kinds = groups[0], [each[0].kind for each in groups]
        texts = [self._text(kind, len(each)) for kind, each in zip(kinds, groups, strict=True)]
        tip = self.tr("Click to go to the next one. First at step {0}: {1}")
        if "finding" in kinds:
            tip = self.tr("Click to read them in the Doctor. First at step {0}: {1}")
        tip = tip.format(format_count(worst[0].number), worst[0].text)
        if kinds[0] == "isolated":
            tip += "\n" + self.tr(
                "Except in steps that a GradScaler skips, it has reached no root, no gradient of a "
                "leaf and no parameter."
            )
        tip = "\n".join((*(texts if len(texts) > 1 else ()), tip))
        tones: dict[MarkKind, PillTone] = {
            "finding": "error" if any(mark.severe for mark in worst) else "warning",
            "differs": "accent",
            "isolated": "plain",
        }
        tag = Tag(texts[0], tones.get(kinds[0], "error"), tip)
        chip = Pill(tag, self._theme, pressable=True, parent=self)
        steps = sorted({mark.number for mark in worst})
        chip.clicked.connect(
            self.doctor_requested.emit if "finding" in kinds else partial(self._go_on, steps)
        )
        self._chips.append(chip)
        self._row.insertWidget(self._row.count() - 1, chip)
        chip.show()

    def _text(self, kind: MarkKind, count: int) -> str:
        texts = {
            "error": self.tr("%Ln error(s)", "", count),
            "finding": self.tr("%Ln finding(s)", "", count),
            "differs": self.tr("differs at %Ln step(s)", "", count),
            "not finite": self.tr("NaN or Inf: %Ln step(s)", "", count),
            "isolated": self.tr("isolated NaN or Inf: %Ln step(s)", "", count),
        }
        return texts[kind]

    def _go_on(self, steps: Sequence[int]) -> None:
        """Go to the next of some steps, and from the last one to the first."""
        later = (number for number in steps if number > self._number)
        self.step_requested.emit(next(later, steps[0]))
