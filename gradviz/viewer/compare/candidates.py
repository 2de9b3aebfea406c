"""Runs that can be compared with the one in the window."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Literal

from msgspec import structs

from gradviz.analysis.compare.shared_inputs import with_input_dtype, with_inputs_of
from gradviz.analysis.training.iterations import Iteration
from gradviz.catalogue.language import format_count
from gradviz.gallery.registry import SCENES, UnknownSceneError, offer_of, scene
from gradviz.model.inputs import Offer
from gradviz.model.settings.rank import Rank
from gradviz.protocol.messages import Device
from gradviz.store.rank_files import rank_paths
from gradviz.text.titles import offer_title
from gradviz.viewer.session.session_runs import PreviousRun
from gradviz.viewer.translation import translate

CandidateKind = Literal[
    "rank",
    "iteration",
    "counterpart",
    "before",
    "dtype",
    "device",
    "offer",
    "trace",
    "scene",
    "browse",
]

_MOST_ITERATIONS = 40
"""Number of iterations up to which the list has all; the others are chosen in the Training tab."""

_DTYPES = ("float32", "float64")


@dataclass(frozen=True, slots=True, kw_only=True)
class CompareCandidate:
    """One run to compare with.

    Attributes:
        kind: Its group in the list; ``offer`` and ``trace`` come from files.
        title: Text for people.
        offer: What to run; None if nothing has to run.
        path: The trace, if it already exists.
        note: A sentence on inputs that differ from those of the left run.
        iteration: Number of the iteration of the same run; None for another run.
    """

    kind: CandidateKind
    title: str
    offer: Offer | None = None
    path: Path | None = None
    note: str = ""
    iteration: int | None = None

    def is_like(self, other: CompareCandidate) -> bool:
        """Return whether this is the same choice as one made for another left run."""
        if self.kind == "before":
            return other.kind == "before"
        return (self.kind, self.title) == (other.kind, other.title)


def rank_candidates(rank: Rank | None, path: Path | None) -> list[CompareCandidate]:
    """Return the other ranks of a distributed program, whose traces are beside this one.

    Args:
        rank: The rank that is shown; None if the program has one process.
        path: Its trace.
    """
    if rank is None:
        return []
    title = translate("Compare", "Rank {0} of {1}")
    return [
        CompareCandidate(kind="rank", title=title.format(number, rank.count), path=trace)
        for number, trace in rank_paths(rank, path).items()
        if number != rank.number
    ]


def iteration_candidate(number: int) -> CompareCandidate:
    """Return an iteration of the run that is shown, to compare the current one with."""
    title = translate("Compare", "Iteration {0}").format(format_count(number))
    return CompareCandidate(kind="iteration", title=title, iteration=number)


def iteration_candidates(
    iterations: Sequence[Iteration], current: Iteration | None, chosen: int | None
) -> list[CompareCandidate]:
    """Return iterations to compare the current one with: all, or those around it and some others.

    Args:
        iterations: The iterations of the run.
        current: The one that is compared.
        chosen: Number of the one it is compared with now.
    """
    if current is None:
        return []
    place, count = iterations.index(current), len(iterations)
    stride = -(-count // _MOST_ITERATIONS)
    wanted = {0, place - 1, place + 1, count - 1, *range(stride - 1, count, stride)}
    numbers = {iterations[each].number for each in wanted if 0 <= each < count and each != place}
    if chosen is not None:
        numbers.add(chosen)
    return [iteration_candidate(each) for each in sorted(numbers)]


def candidates_for(
    shown: Offer | None,
    before: PreviousRun | None,
    devices: Sequence[Device],
    read: Sequence[CompareCandidate] = (),
) -> list[CompareCandidate]:
    """Return all choices, the best first.

    Args:
        shown: What produced the run that is shown; None for an opened trace.
        before: The run shown previously.
        devices: Devices on which inputs can be created.
        read: Choices read from files.
    """
    counterparts = _counterparts(shown)
    found = [_scene(each, shown, "counterpart") for each in counterparts]
    if before is not None:
        title = translate("Compare", "Previous run: {0}").format(before.title)
        found.append(CompareCandidate(kind="before", title=title, path=before.path))
    if shown is not None:
        found += _variants(shown, devices)
    found += [_on_inputs(choice, shown) for choice in read]
    found.append(
        CompareCandidate(kind="browse", title=translate("Compare", "Python file or trace…"))
    )
    rest = [each.id for each in SCENES if each.id not in counterparts]
    return [*found, *(_scene(each, shown, "scene") for each in rest)]


def scene_candidate(scene_id: str, shown: Offer | None) -> CompareCandidate:
    """Return a scene of the gallery, using the inputs of the run that is shown.

    Raises:
        UnknownSceneError: If there is no scene with that id.
    """
    return _scene(scene(scene_id).id, shown, "scene")


def _counterparts(shown: Offer | None) -> tuple[str, ...]:
    if shown is None or not shown.subject.scene:
        return ()
    try:
        return scene(shown.subject.scene).compare_with
    except UnknownSceneError:
        return ()


def _scene(scene_id: str, shown: Offer | None, kind: CandidateKind) -> CompareCandidate:
    offer = offer_of(scene(scene_id))
    return _on_inputs(CompareCandidate(kind=kind, title=offer_title(offer), offer=offer), shown)


def _on_inputs(choice: CompareCandidate, shown: Offer | None) -> CompareCandidate:
    if choice.offer is None or shown is None:
        return choice
    adapted = with_inputs_of(choice.offer, shown)
    return replace(choice, offer=adapted.offer, note=adapted.note)


def _variants(shown: Offer, devices: Sequence[Device]) -> list[CompareCandidate]:
    found: list[CompareCandidate] = []
    for dtype in _DTYPES:
        offer = with_input_dtype(shown, dtype)
        if offer != shown:
            title = translate("Compare", "Same in {0}").format(dtype)
            found.append(CompareCandidate(kind="dtype", title=title, offer=offer))
    for device in devices:
        if device.name != shown.device:
            title = translate("Compare", "Same on {0}").format(device.title)
            offer = structs.replace(shown, device=device.name)
            found.append(CompareCandidate(kind="device", title=title, offer=offer))
    return found
