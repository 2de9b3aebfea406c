"""Code that a verb should run: a scene, or an entry in a user's file.

The source file of a module that is named as in an import.
"""

from __future__ import annotations

import argparse
import importlib.util
import os
import shlex
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from gradviz.catalogue.messages import say, say_list
from gradviz.cli.errors import UsageError, check_file
from gradviz.cli.limit_options import ending_with_option

if TYPE_CHECKING:
    from gradviz.host.job_ending import JobEnding
    from gradviz.host.limits import Limits
    from gradviz.model.inputs import Offer
    from gradviz.protocol.messages import CheckRequest, Described, JobMessage, RunRequest


def file_of_module(name: str) -> Path | None:
    """The file of a module below the working directory, its ``src`` folder, or installed.

    No code of it is run.

    Args:
        name: The module as in an import, such as ``package.module``.

    Returns:
        A ``.py`` file, for a package its ``__init__.py``; None if there is none.
    """
    parts = name.split(".")
    if not all(part.isidentifier() for part in parts):
        return None
    return next(_candidates(parts), None)


def _candidates(parts: Sequence[str]) -> Iterator[Path]:
    for folder in (Path.cwd(), Path.cwd() / "src"):
        yield from _below(folder, parts)
    # For a name without dots, this imports nothing.
    spec = importlib.util.find_spec(parts[0])
    if spec is None:
        return
    if len(parts) == 1 and spec.origin is not None and spec.origin.endswith(".py"):
        yield Path(spec.origin)
    for location in spec.submodule_search_locations or ():
        yield from _below(Path(location), parts[1:])


def _below(folder: Path, parts: Sequence[str]) -> Iterator[Path]:
    place = folder.joinpath(*parts)
    files = (place.with_name(f"{place.name}.py"), place / "__init__.py")
    yield from (each for each in files if each.is_file())


_ENDINGS = (".py", ".ipynb")


def find_offer(target: str, limits: Limits | None = None) -> Offer:
    """Find the offer for a scene, ``FILE.py:NAME`` or ``package.module:NAME``, with its own inputs.

    Args:
        target: Id of a scene, or a file or module and a name in it.
        limits: What the file may use while it is imported; None for the defaults.

    Raises:
        UsageError: If there is no such scene, file or name.
    """
    return with_inputs(unread_offer(target), limits)


def unread_offer(target: str) -> Offer:
    """What `find_offer` finds, but without running a file; also the first example of ``FILE.py``.

    Raises:
        UsageError: If there is no such scene or file.
    """
    if target.endswith(".py"):
        from gradviz.model.inputs import unread_example

        check_file(Path(target))
        return unread_example(target, "")
    return _from_file(target) if _is_path(target) else _scene(target)


def with_inputs(offer: Offer, limits: Limits | None) -> Offer:
    """An offer with its own inputs, for which its file runs if that has not been read yet."""
    if not offer.is_from_text:
        return offer
    path = offer.subject.path
    described, _ = describe_file(path, limits=limits)
    return _named(path, offer.subject.name, described, limits)


@dataclass(frozen=True, slots=True, kw_only=True)
class WorkDone:
    """How a run or check has ended.

    Attributes:
        ending: Its ending.
        offers: What it was done with; of a whole file, also the examples that are left.
        problem: Which examples of a file are missing; empty if none is.
    """

    ending: JobEnding
    offers: tuple[Offer, ...]
    problem: str = ""


def do_work(
    request: RunRequest | CheckRequest,
    limits: Limits,
    *,
    on_message: Callable[[JobMessage], None] = lambda message: None,
    meanwhile: Callable[[], object] = lambda: None,
) -> WorkDone:
    """Run or check an offer in a child process, which first reads a file that is not yet read.

    ``on_message`` and ``meanwhile`` are as for `run_blocking`.

    Raises:
        UsageError: If the file could not be imported to its end, or has no such example.
    """
    from gradviz.host.pool import run_blocking

    offer = request.offer
    if not offer.is_from_text:
        ending = run_blocking(request, limits=limits, on_message=on_message, meanwhile=meanwhile)
        return WorkDone(ending=ending, offers=(offer,))
    path, name = offer.subject.path, offer.subject.name
    described, ending = describe_file(
        path, limits=limits, then=request, on_message=on_message, meanwhile=meanwhile
    )
    if name:
        return WorkDone(ending=ending, offers=(_named(path, name, described, limits),))
    offers, problem = _declared(path, described, limits)
    return WorkDone(ending=ending, offers=offers, problem=problem)


def with_run_options(offer: Offer, arguments: argparse.Namespace) -> Offer:
    """Change how an offer runs, as far as options are given."""
    from msgspec.structs import replace

    from gradviz.model.inputs import ModuleSetup

    state = arguments.state_dict
    return replace(
        offer,
        device=arguments.device or offer.device,
        seed=offer.seed if arguments.seed is None else arguments.seed,
        module=ModuleSetup(
            state_dict="" if state is None else os.path.abspath(os.path.expanduser(state)),
            mode=arguments.mode or "given",
        ),
    )


def run_or_trace(word: str) -> Offer | Path:
    """Interpret an argument: a scene or an entry of a file to run, or the path of a trace.

    Args:
        word: Id of a scene, ``FILE.py:NAME``, ``package.module:NAME``, or a path, which is not
            opened. A file is not read.

    Raises:
        UsageError: If there is no such scene, file or name, or if it is code without a name.
    """
    path = Path(word)
    if is_scene(word):
        return _scene(word)
    if path.suffix in _ENDINGS and path.is_file():
        raise UsageError(say("command.code", path=word, advice=entry_advice(word, path)).rstrip())
    if path.suffix == ".gradviz" or (path.exists() and not path.is_dir()):
        return path
    if ":" in word:
        return _from_file(word)
    return path if _is_path(word) else _scene(word)


def entry_advice(target: str, path: Path, key: str = "command.entries") -> str:
    """What the text of a file defines that can be run, and how; empty if nothing is certain.

    Args:
        target: The file or module, as it is named in a command.
        path: The file, which is not run.
        key: The message that says so.
    """
    from gradviz.linter.file_outline import read_outline

    outline = read_outline(path) if path.suffix == ".py" else None
    offers = () if outline is None else outline.offers
    found = [each for each in offers if not each.is_plain_function] or (
        offers if outline is not None and outline.declares_examples else ()
    )
    if not found:
        return ""
    names = [each.subject.name for each in found]
    entry = shlex.quote(f"{target}:{names[0]}")
    return say(key, names=say_list(names), entry=entry)


def is_scene(word: str) -> bool:
    """Whether an argument is the id of a scene; a file of that name is written ``./linear``."""
    from gradviz.gallery.registry import SCENES

    return any(each.id == word for each in SCENES)


def _is_path(word: str) -> bool:
    return any(each in word for each in "./\\:")


def find_offers(
    targets: Sequence[str], limits: Limits | None = None
) -> tuple[list[Offer], list[str]]:
    """Find the offers for several scenes, names in files, and whole files.

    Args:
        targets: Ids of scenes, ``FILE.py:NAME``, or ``FILE.py`` for all its examples.
        limits: What each file may use while it is imported; None for the defaults.

    Returns:
        At least one offer, and a text for each file of which some examples are missing.

    Raises:
        UsageError: If nothing is named, or something that does not exist.
    """
    if not targets:
        raise UsageError(say("command.no_subject"))
    found: list[Offer] = []
    problems = []
    for target in targets:
        if target.endswith(".py"):
            check_file(Path(target))
            offers, problem = _declared(target, describe_file(target, limits=limits)[0], limits)
        else:
            offers, problem = (find_offer(target, limits),), ""
        found += offers
        problems += [problem] if problem else []
    return found, problems


def _declared(
    path: str, described: Described, limits: Limits | None
) -> tuple[tuple[Offer, ...], str]:
    """The examples of a file, and which are missing."""
    offers = tuple(each for each in described.offers if each.is_declared)
    missing = [
        each for each in described.offers if not (each.is_declared or each.is_plain_function)
    ]
    problem = described.problem
    if any(each.is_from_text for each in described.offers):
        problem = say("command.not_run", problem=problem, path=path)
    elif missing and not problem:
        problem = _undeclared(path, missing, limits)
    if not offers:
        raise UsageError(problem or say("command.no_examples", path=path))
    return offers, problem


def _scene(scene_id: str) -> Offer:
    from gradviz.gallery.registry import UnknownSceneError, offer_of, scene

    try:
        return offer_of(scene(scene_id))
    except UnknownSceneError as error:
        if scene_id and Path(scene_id).is_dir():
            raise UsageError(say("command.folder", path=scene_id)) from None
        raise UsageError(str(error)) from None


def _from_file(target: str) -> Offer:
    path, separator, name = target.rpartition(":")
    if not path.endswith(_ENDINGS):
        path = str(file_of_module(path) or path)
    if target.endswith(".ipynb"):
        raise UsageError(say("command.notebook", path=target))
    if not separator or not path.endswith(_ENDINGS) or not name:
        if Path(target).is_dir():
            raise UsageError(say("command.folder", path=target))
        raise UsageError(say("command.no_target", target=repr(target)))
    check_file(Path(path))
    from gradviz.model.inputs import unread_example

    return unread_example(path, name)


def _named(path: str, name: str, described: Described, limits: Limits | None) -> Offer:
    """The example of a file that has a name."""
    for offer in described.offers:
        if offer.subject.name == name and offer.is_declared:
            return offer
        if offer.subject.name == name:
            raise UsageError(_undeclared(path, [offer], limits))
    from gradviz.text.punctuation import join_sentences

    declared = [offer.subject.name for offer in described.offers if offer.is_declared]
    if declared:
        names = say_list(declared)
        missing = say("command.no_example", path=path, name=name, names=names)
        raise UsageError(join_sentences((missing, described.problem)))
    if described.offers:
        names = say_list([offer.subject.name for offer in described.offers])
        missing = say("command.not_found", path=path, name=name, names=names)
        raise UsageError(join_sentences((missing, described.problem)))
    raise UsageError(described.problem or say("command.no_examples", path=path))


def _undeclared(path: str, offers: Sequence[Offer], limits: Limits | None) -> str:
    """What is not declared, and the lines that would declare it."""
    from gradviz.linter.examples_source import examples_source

    names = tuple(offer.subject.name for offer in offers)
    problem = say("command.undeclared", path=path, names=say_list(names))
    made, _ = describe_file(path, made_for=names, limits=limits)
    lines = None
    if made.offers:
        lines = examples_source(Path(path).read_text(encoding="utf-8"), made.offers)
    if lines is not None:
        problem = "\n".join((say("command.declare", problem=problem), "", *lines))
    return f"{problem}\n{made.problem}".rstrip()


def describe_file(
    path: str,
    made_for: tuple[str, ...] = (),
    *,
    limits: Limits | None = None,
    then: RunRequest | CheckRequest | None = None,
    on_message: Callable[[JobMessage], None] = lambda message: None,
    meanwhile: Callable[[], object] = lambda: None,
) -> tuple[Described, JobEnding]:
    """What can be run in a file, and how its child has ended.

    Args:
        path: The file.
        made_for: Names for which inputs are made, instead of those that the file declares.
        limits: What the file may use while it is imported, and what follows; None for the defaults.
        then: What the child does next, as in `DescribeRequest`.
        on_message: As for `run_blocking`.
        meanwhile: As for `run_blocking`.

    Raises:
        UsageError: If it could not be imported to its end.
    """
    from gradviz.host.pool import run_blocking
    from gradviz.model.inputs import DEFAULT_SEED
    from gradviz.protocol.messages import Described, DescribeRequest

    answers: list[Described] = []

    def keep(message: JobMessage) -> None:
        if isinstance(message, Described):
            answers.append(message)
        on_message(message)

    request = DescribeRequest(
        path=str(Path(path).absolute()),
        made_for=made_for,
        seed=DEFAULT_SEED if then is None else then.offer.seed,
        then=then,
    )
    ending = run_blocking(request, limits=limits, on_message=keep, meanwhile=meanwhile)
    if not answers:
        raise UsageError(ending_with_option(ending) or say("command.not_described", path=path))
    # A run then also tells of its inputs.
    return answers[0], ending
