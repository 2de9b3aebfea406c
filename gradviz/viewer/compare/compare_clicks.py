"""What the stage shows of a comparison, click by click."""

from __future__ import annotations

from collections.abc import Iterator

from gradviz.analysis.compare.run_comparison import Mismatch, RunComparison
from gradviz.story.click import Click
from gradviz.text.compare import comparison_summary, mismatch_line, mismatch_sentence
from gradviz.text.titles import origin_title
from gradviz.viewer.translation import plural, translate

MOST_DIFFERENCES = 6
"""Maximum number of differing steps with a page."""


def compare_clicks(found: RunComparison) -> tuple[Click, ...]:
    """The result, then where the runs differ, first cause first.

    If all differences are rounding, only the largest one has a page. Equal runs have one page.
    """
    return tuple(_clicks(found))


def _clicks(found: RunComparison) -> Iterator[Click]:
    titles = _titles(found)
    title = " | ".join(titles)
    topic = translate("Walkthrough", "Two runs in step")
    if not found.mismatches:
        topic = translate("Walkthrough", "Equal runs")
    yield Click(topic=f"{topic} · {title}", headline=comparison_summary(found), text="graph")
    differing = [each for each in found.mismatches if found.matters(each)]
    pages = [(translate("Walkthrough", "First difference"), each) for each in differing[:1]]
    pages += [
        (translate("Walkthrough", "Consequence"), each) for each in differing[1:MOST_DIFFERENCES]
    ]
    if not pages and found.rounding is not None:
        pages = [(translate("Walkthrough", "Largest rounding difference"), found.rounding)]
    for topic, each in pages:
        headline = mismatch_sentence(found, each)
        yield Click(topic=f"{topic} · {title}", headline=headline, text=_values(each, titles))
    if others := differing[MOST_DIFFERENCES:]:
        topic = plural.tr("And %Ln more step(s)", "", len(others))
        lines = [mismatch_line(found, each) for each in others]
        note = "\n".join(translate("Walkthrough", "Step {0}").format(each) for each in lines)
        headline = translate("Walkthrough", "These steps differ, too.")
        yield Click(topic=f"{topic} · {title}", headline=headline, text="", note=note)


def _values(mismatch: Mismatch, titles: tuple[str, str]) -> str:
    """The value that differs, in both runs, each named by its run."""
    value = mismatch.value
    if value is None:
        return "graph"
    sides = zip(("", "other: "), (value.pair.left, value.pair.right), titles, strict=True)
    # A value stands in braces, so its name has none.
    return " | ".join(
        f"{{{run}tensor {item.tensor} as {title.replace('{', '(').replace('}', ')')}}}"
        for run, item, title in sides
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
