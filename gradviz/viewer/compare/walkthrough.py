"""Steps through the differences of a comparison in Presenter Mode."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

from PySide6.QtGui import QShowEvent
from PySide6.QtWidgets import QWidget

from gradviz.analysis.compare.differing_lines import differing_places
from gradviz.analysis.compare.run_comparison import ComparedValue, Mismatch, RunComparison
from gradviz.catalogue.language import format_count
from gradviz.text.compare import comparison_summary, mismatch_line, mismatch_sentence
from gradviz.text.titles import origin_title
from gradviz.viewer.compare.compared_runs import CompareWalkthroughView
from gradviz.viewer.compare.value_pairs import compared_value
from gradviz.viewer.presentation import PresentedIdea
from gradviz.viewer.state import ViewerState
from gradviz.viewer.trace_values import TraceReaderProtocol
from gradviz.viewer.translation import plural
from gradviz.viewer.walkthrough.idea_page import IdeaPage

_MOST_LINES = 12
"""Maximum number of further differences to list."""


CompareIdeaKind = Literal["together", "first", "consequence", "rounding", "rest"]

MOST_DIFFERENCES = 6
"""Maximum number of differing steps with a page."""


@dataclass(frozen=True, slots=True, kw_only=True)
class CompareIdea:
    """One idea.

    Attributes:
        kind: ``together`` shows the current step of both runs, ``rest`` lists the differences that
            have no page.
        mismatch: The differing step; None for the current one.
        others: The differences without a page, for ``rest``.
    """

    kind: CompareIdeaKind
    mismatch: Mismatch | None = None
    others: tuple[Mismatch, ...] = ()


def ideas_of(found: RunComparison) -> tuple[CompareIdea, ...]:
    """Return the ideas of a comparison: the result, then where the runs differ, first cause first.

    If all differences are rounding, only the largest one has a page. Equal runs have one page.
    """
    together = CompareIdea(kind="together")
    differing = tuple(each for each in found.mismatches if found.matters(each))
    if not differing:
        worst = found.rounding
        return (
            (together,)
            if worst is None
            else (together, CompareIdea(kind="rounding", mismatch=worst))
        )
    first, *consequences = differing[:MOST_DIFFERENCES]
    ideas = [together, CompareIdea(kind="first", mismatch=first)]
    ideas += [CompareIdea(kind="consequence", mismatch=each) for each in consequences]
    if differing[MOST_DIFFERENCES:]:
        ideas.append(CompareIdea(kind="rest", others=differing[MOST_DIFFERENCES:]))
    return tuple(ideas)


class CompareWalkthrough(IdeaPage):
    """Shows both runs at the current step, then one differing step per click.

    Once all have been shown, the clicker goes to the next step of the run.
    """

    def __init__(self, state: ViewerState, parent: QWidget | None = None) -> None:
        self.view = CompareWalkthroughView(state.theme)
        super().__init__(state, self.view, parent)
        self._found: RunComparison | None = None
        self._ideas: tuple[CompareIdea, ...] = ()
        self._is_over = False
        self._waiting = ("", "")
        self.setAccessibleName(self.tr("Walkthrough of the comparison"))
        state.step_changed.connect(self._on_state_step_changed)

    @property
    def idea(self) -> CompareIdea | None:
        """The current idea; None without a comparison."""
        return self._ideas[self.at] if self._ideas else None

    @property
    def count(self) -> int:
        """Number of ideas; 0 without a comparison."""
        return len(self._ideas)

    @property
    def is_hidden(self) -> bool:
        """Whether Quiz Mode hides the comparison, as the other run has the same gradients."""
        return not self._state.revealed.is_complete

    @property
    def has_next(self) -> bool:
        """Whether another click shows the next idea."""
        return super().has_next and not self._is_over

    def show_comparison(
        self, found: RunComparison, readers: tuple[TraceReaderProtocol, TraceReaderProtocol]
    ) -> None:
        """Explain another comparison from its first idea."""
        self._found, self._ideas = found, ideas_of(found)
        self.at, self._is_over = 0, False
        for side, reader, index in zip(
            self.view.sides, readers, (found.left, found.right), strict=True
        ):
            side.show_run(reader, index)
        self.refresh()

    def forget(self, title: str = "", text: str = "") -> None:
        """Drop both runs, since their traces may be about to be closed.

        Args:
            title: What to show instead, in a few words.
            text: The same as a sentence.
        """
        self._found, self._ideas, self.at = None, (), 0
        self._waiting = (title, text)
        for side in self.view.sides:
            side.show_run(None, None)
        self.refresh()

    def show_current(self) -> PresentedIdea:
        """Show the current idea, and return its headline."""
        found, idea = self._found, self.idea
        title, sentence = self._waiting
        if found is None or idea is None:
            self.view.show_message((sentence,))
            return PresentedIdea(title=self.tr("Compare"), sentence=title or self.tr("Compare"))
        if self.is_hidden:
            self.view.show_message(())
            hidden = self.tr("The other run would reveal the answer.")
            return PresentedIdea(title=self.tr("Hidden in quiz mode"), sentence=hidden)
        self._show_idea(found, idea)
        return PresentedIdea(
            title=self._title(idea),
            sentence=self._sentence(found, idea),
            at=0 if self._is_over else self.at,
            count=1 if self._is_over else len(self._ideas),
        )

    def _title(self, idea: CompareIdea) -> str:
        match idea.kind:
            case "together":
                same = len(self._ideas) == 1
                return self.tr("Equal runs") if same else self.tr("Two runs in step")
            case "first":
                return self.tr("First difference")
            case "consequence":
                return self.tr("Consequence")
            case "rounding":
                return self.tr("Largest rounding difference")
            case "rest":
                return plural.tr("And %Ln more step(s)", "", len(idea.others))

    def _sentence(self, found: RunComparison, idea: CompareIdea) -> str:
        if idea.kind == "rest":
            return self.tr("These steps differ, too.")
        if idea.mismatch is None:
            return comparison_summary(found)
        return mismatch_sentence(found, idea.mismatch)

    def _show_idea(self, found: RunComparison, idea: CompareIdea) -> None:
        if idea.kind == "rest":
            step = self.tr("Step {0}")
            shown = idea.others[:_MOST_LINES]
            lines = [step.format(mismatch_line(found, each)) for each in shown]
            left = len(idea.others) - _MOST_LINES
            if left > 0:
                lines.append(self.tr("and {0} more").format(format_count(left)))
            self.view.show_message(tuple(lines))
            return
        mismatch = idea.mismatch
        pair = self._current(found) if mismatch is None else (mismatch.left, mismatch.right)
        value = None if mismatch is None else mismatch.value
        places = differing_places(found, *pair)
        names = (self.tr("Left: {0}"), self.tr("Right: {0}"))
        for side, name, title, place in zip(
            self.view.sides, names, _titles(found), places, strict=True
        ):
            side.show_place(name.format(title), place)
        # The next click shows the values; until then, there is more space for the code.
        if mismatch is None and (self._is_over or len(self._ideas) == 1):
            value = self._worst(found, pair)
        self.view.values.show_pair(
            None if value is None else compared_value(found, value),
            None if value is None else value.difference.where,
        )
        self.view.show_evidence()

    def _current(self, found: RunComparison) -> tuple[int | None, int | None]:
        """The current step and its counterpart; first a step that differs, if there is one."""
        number = self._state.number
        pair = (number, found.pairs.right(number)) if number else (None, None)
        mismatches = [each.mismatch for each in self._ideas]
        differing = [(each.left, each.right) for each in mismatches if each is not None]
        return pair if self._is_over or pair in differing or not differing else differing[0]

    def _worst(
        self, found: RunComparison, pair: tuple[int | None, int | None]
    ) -> ComparedValue | None:
        """The first differing value of a step; its first value if all agree."""
        both = found.values(*pair) or found.received(*pair)
        values = [each for each in both if each.pair.left or each.pair.right]
        return next((each for each in values if each.differs), values[0] if values else None)

    def _on_state_step_changed(self, number: int) -> None:
        # Another step means that the differences have been seen, or that nobody waits for them.
        if self._found is not None and self.isVisible():
            self._is_over, self.at = self._is_over or self.at + 1 == len(self._ideas), 0
            self.refresh()

    def showEvent(self, event: QShowEvent) -> None:
        """Take over the headline and the clicker, from the first idea."""
        self.at, self._is_over = 0, False
        super().showEvent(event)


def _titles(found: RunComparison) -> tuple[str, str]:
    """Titles of both runs; if they are equal, with the device or dtype that tells them apart."""
    origins = found.left.trace.origin, found.right.trace.origin
    left, right = (origin_title(each) for each in origins)
    if left != right:
        return left, right
    devices = origins[0].device, origins[1].device
    notes = devices if devices[0] != devices[1] else next(iter(found.dtypes), None)
    return (left, right) if notes is None else (f"{left} ({notes[0]})", f"{right} ({notes[1]})")
