"""What the stage shows of a comparison, click by click."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

from gradviz.analysis.compare.run_comparison import Mismatch, RunComparison
from gradviz.story.click import Click
from gradviz.text.compare import comparison_summary, mismatch_line, mismatch_sentence
from gradviz.text.titles import origin_title
from gradviz.viewer.translation import plural, translate

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


def compare_clicks(found: RunComparison) -> tuple[Click, ...]:
    """What the stage shows of a comparison: one differing step per click, first cause first."""
    return tuple(_click(found, each) for each in ideas_of(found))


def _click(found: RunComparison, idea: CompareIdea) -> Click:
    title = " | ".join(_titles(found))
    topic = f"{_title(idea, is_equal=not found.mismatches)} · {title}"
    if idea.kind == "rest":
        lines = [mismatch_line(found, each) for each in idea.others]
        note = "\n".join(translate("Walkthrough", "Step {0}").format(each) for each in lines)
        sentence = translate("Walkthrough", "These steps differ, too.")
        return Click(topic=topic, headline=sentence, text="", note=note)
    if idea.mismatch is None:
        return Click(topic=topic, headline=comparison_summary(found), text="graph")
    return Click(
        topic=topic,
        headline=mismatch_sentence(found, idea.mismatch),
        text=_values(idea.mismatch),
    )


def _title(idea: CompareIdea, *, is_equal: bool) -> str:
    match idea.kind:
        case "together" if is_equal:
            return translate("Walkthrough", "Equal runs")
        case "together":
            return translate("Walkthrough", "Two runs in step")
        case "first":
            return translate("Walkthrough", "First difference")
        case "consequence":
            return translate("Walkthrough", "Consequence")
        case "rounding":
            return translate("Walkthrough", "Largest rounding difference")
        case "rest":
            return plural.tr("And %Ln more step(s)", "", len(idea.others))


def _values(mismatch: Mismatch) -> str:
    """The value that differs, in both runs."""
    value = mismatch.value
    if value is None:
        return "graph"
    sides = (("", value.pair.left), ("other: ", value.pair.right))
    return " | ".join(
        f"{{{run}tensor {item.tensor} as {item.name}}}"
        for run, item in sides
        if item is not None and item.tensor is not None
    )


def _titles(found: RunComparison) -> tuple[str, str]:
    """Titles of both runs; if they are equal, with the device or dtype that tells them apart."""
    origins = found.left.trace.origin, found.right.trace.origin
    left, right = (origin_title(each) for each in origins)
    if left != right:
        return left, right
    devices = origins[0].device, origins[1].device
    notes = devices if devices[0] != devices[1] else next(iter(found.dtypes), None)
    return (left, right) if notes is None else (f"{left} ({notes[0]})", f"{right} ({notes[1]})")
