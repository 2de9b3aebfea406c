"""What a verb is asked to run: a scene, or a name in a file of the user."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING

from gradviz.cli.errors import UsageError

if TYPE_CHECKING:
    from gradviz.model.inputs import Offer


def find_offer(scene_id: str | None, target: str | None, device: str | None) -> Offer:
    """The offer for ``--scene ID`` or ``FILE.py:NAME``, on its own inputs.

    Args:
        scene_id: Id of a scene, if that was asked for.
        target: A file and a name in it, if that was.
        device: Where the inputs are made; None leaves it at the CPU.

    Raises:
        UsageError: If there is no such scene, file or name.
    """
    offer = _scene(scene_id) if scene_id is not None else _from_file(target or "")
    return offer if device is None else replace(offer, device=device)


def find_offers(
    scenes: Sequence[str], targets: Sequence[str], device: str | None
) -> tuple[list[Offer], list[str]]:
    """The offers for several scenes, names in files, and whole files; and what they do not offer.

    Args:
        scenes: Ids of scenes.
        targets: ``FILE.py:NAME``, or ``FILE.py`` for all that it has examples for.
        device: Where the inputs are made; None leaves it at the CPU.

    Returns:
        At least one offer, and a sentence for each file that does not offer all it has.

    Raises:
        UsageError: If nothing is named, or something that is not there.
    """
    if not scenes and not targets:
        raise UsageError("one of --scene ID and FILE.py:NAME is required. See --help.")
    found = [find_offer(each, None, device) for each in scenes]
    problems = []
    for target in targets:
        if not target.endswith(".py"):
            found.append(find_offer(None, target, device))
            continue
        offers, problem = _offers_of(target)
        found += [each if device is None else replace(each, device=device) for each in offers]
        problems += [problem] if problem else []
    return found, problems


def _offers_of(path: str) -> tuple[tuple[Offer, ...], str]:
    if not Path(path).is_file():
        raise UsageError(f"there is no file {path}")
    offers, problem = _describe(Path(path).absolute())
    if not offers:
        raise UsageError(problem or f"{path} declares no examples")
    return offers, problem


def _scene(scene_id: str) -> Offer:
    from gradviz.gallery.catalogue import UnknownSceneError, offer_of, scene

    try:
        return offer_of(scene(scene_id))
    except UnknownSceneError as error:
        raise UsageError(str(error)) from None


def _from_file(target: str) -> Offer:
    path, separator, name = target.rpartition(":")
    if not separator or not path.endswith(".py") or not name:
        raise UsageError(f"{target!r} is not of the form FILE.py:NAME")
    if not Path(path).is_file():
        raise UsageError(f"there is no file {path}")
    offers, problem = _describe(Path(path).absolute())
    for offer in offers:
        if offer.subject.name == name:
            return offer
    if offers:
        names = ", ".join(offer.subject.name for offer in offers)
        reason = f". {problem}" if problem else ""
        raise UsageError(f"{path} declares no example for {name}; it does for {names}{reason}")
    raise UsageError(problem or f"{path} declares no examples")


def _describe(path: Path) -> tuple[tuple[Offer, ...], str]:
    from gradviz.host.blocking import run_blocking
    from gradviz.protocol.messages import Describe, Described, Progress

    answers: list[Described] = []

    def keep(message: Described | Progress) -> None:
        if isinstance(message, Described):
            answers.append(message)

    ending = run_blocking(Describe(path=str(path)), on_message=keep)
    if not answers:
        raise UsageError(ending.sentence or f"{path} could not be read")
    return answers[-1].offers, answers[-1].problem
