"""Declaration of arguments: what verbs share stands here once, and each help in the catalogue."""

from __future__ import annotations

import argparse
import re
from collections.abc import Callable
from pathlib import Path
from typing import Any, TypeVar, get_args

from gradviz.catalogue.messages import say
from gradviz.catalogue.templates import MESSAGES

T = TypeVar("T")

RUN_OPTIONS = ("--device", "--seed", "--state-dict", "--mode")
"""Options that change how an offer runs."""
TRACE_LIMITS = ("--max-size", "--output-limit")


class VerbArguments:
    """Adds arguments to the parser of a verb.

    Args:
        parser: The parser.
        verb: Name of the verb.

    Attributes:
        parser: The parser.
    """

    def __init__(self, parser: argparse.ArgumentParser, verb: str) -> None:
        self.parser = parser
        self._verb = verb

    def __call__(
        self, *names: str, to: argparse._ActionsContainer | None = None, **options: Any
    ) -> None:
        """Add an argument.

        Its help is the message ``help.VERB.NAME``, or else ``help.NAME``.

        Args:
            names: Its names; an option that several verbs have needs no more than this.
            to: A group; None for the parser.
            options: As for `argparse.ArgumentParser.add_argument`.
        """
        if "help" not in options:
            options["help"] = say(self._help_key(names[-1]))
        (to or self.parser).add_argument(*names, **{**_SHARED.get(names[-1], {}), **options})

    def each(self, *names: str) -> None:
        """Add several options that other verbs have, too."""
        for name in names:
            self(name)

    def _help_key(self, name: str) -> str:
        word = name.lstrip("-").replace("-", "_")
        own = f"help.{self._verb}.{word}"
        return own if own in MESSAGES else f"help.{word}"

    def limits(self, *, time_s: float | None = None) -> None:
        """Add ``--time-limit`` and ``--memory-limit``.

        Args:
            time_s: The default time limit in seconds; None for no limit, because a user at the
                terminal can press Ctrl+C.
        """
        from gradviz.host.limits import MEMORY_PERCENT

        key = "help.time_limit" if time_s is None else "help.time_limit.some"
        self("--time-limit", help=say(key, count=time_s))
        self.parser.set_defaults(default_time_s=time_s)
        self("--memory-limit", help=say("help.memory_limit", percent=MEMORY_PERCENT))

    def output(self, **options: Any) -> None:
        """Add ``-o``, whose value is the path of the file to write."""
        self("-o", "--output", type=Path, metavar="OUT", **options)

    def view(
        self,
        step: str,
        *,
        tab: str | None = None,
        theme: str | None = None,
        size: tuple[int, int] | None = None,
    ) -> None:
        """Add what selects a view: scene or trace, step, tab, theme and size.

        Args:
            step: The default step in words: ``first`` or ``last``.
            tab: The default tab.
            theme: The default theme.
            size: The default width and height in pixels.
        """
        from gradviz.analysis.position.view_target import ViewTab

        self.subject()
        self("--step", help=say(f"help.step.{step}", form=say("help.step")))
        self("--tab", choices=get_args(ViewTab), default=tab)
        self("--theme", default=theme)
        key = "help.size" if size is None else "help.size.default"
        shown = "x".join(map(str, size or ()))
        self("--size", default=size, help=say(key, size=shown))

    def subject(self, name: str = "subject", **options: Any) -> None:
        """Add the argument that names a trace, or code to run."""
        options.setdefault("metavar", "TRACE|SCENE|FILE.py:NAME")
        self(name, help=say("help.trace"), **options)


def parsed(key: str, **values: object) -> Callable[[Callable[[str], T]], Callable[[str], T]]:
    """Make a function the type of an argument: a `ValueError` becomes one sentence.

    Args:
        key: The message is ``argument.KEY``.
        values: Values of the message, besides ``text``.
    """

    def decorate(parse: Callable[[str], T]) -> Callable[[str], T]:
        def convert(text: str) -> T:
            try:
                return parse(text)
            except ValueError:
                message = say(f"argument.{key}", text=text, **values)
                raise argparse.ArgumentTypeError(message) from None

        return convert

    return decorate


def number(text: str, form: str, least: float, most: float) -> float:
    """Parse a number of a form, which is a regular expression.

    Raises:
        ValueError: If it has another form, or is less than the least or more than the most.
    """
    value = float(text) if re.fullmatch(form, text, re.ASCII) else least - 1
    if not least <= value <= most:
        raise ValueError(text)
    return value


@parsed("bytes")
def size_in_bytes(text: str) -> int:
    """Parse a size such as ``64M`` or ``2G``."""
    from gradviz.model.settings.byte_size import parse_size

    return parse_size(text)


@parsed("seconds")
def _seconds(text: str) -> float:
    match = re.fullmatch(r"(\d+\.?\d*|\.\d+)([smh]?)", text)
    seconds = 0.0 if match is None else float(match[1]) * _UNITS_S[match[2]]
    if not 0 < seconds < float("inf"):
        raise ValueError(text)
    return seconds


_UNITS_S = {"": 1, "s": 1, "m": 60, "h": 3600}


@parsed("seed")
def _seed(text: str) -> int:
    if not text.isdecimal() or int(text) > 2**31 - 1:
        raise ValueError(text)
    return int(text)


def _step_or_place(text: str) -> int | str:
    return _place(text) if "/" in text else _step(text)


@parsed("positive")
def _step(text: str) -> int:
    if not text.isdecimal() or int(text) < 1:
        raise ValueError(text)
    return int(text)


@parsed("place")
def _place(text: str) -> str:
    from gradviz.analysis.position.position_paths import is_position_path

    if not is_position_path(text):
        raise ValueError(text)
    return text


@parsed("steps")
def _steps(text: str) -> tuple[int, int | None]:
    """The first and last of some steps; None for the last step of the run."""
    if text == "all":
        return 1, None
    match = re.fullmatch(r"(\d+):(\d*)", text, re.ASCII)
    first, last = (int(match[1]), int(match[2] or 0)) if match else (0, 0)
    if match is None or first < 1 or (match[2] and last < first):
        raise ValueError(text)
    return first, last or None


@parsed("size")
def _size(text: str) -> tuple[int, int]:
    width, height = re.split("[xX×]", text)
    if not all(re.fullmatch(r"\d{3,4}", each) for each in (width, height)):
        raise ValueError(text)
    return int(width), int(height)


_SHARED: dict[str, dict[str, Any]] = {
    "--device": {"metavar": "D"},
    "--seed": {"type": _seed, "metavar": "N"},
    "--state-dict": {"metavar": "FILE"},
    "--mode": {"choices": ("train", "eval")},
    "--time-limit": {"type": _seconds, "metavar": "TIME"},
    "--memory-limit": {"type": size_in_bytes, "metavar": "SIZE"},
    "--max-size": {"type": size_in_bytes, "metavar": "SIZE"},
    "--output-limit": {"type": size_in_bytes, "metavar": "SIZE"},
    "--format": {"choices": ("text", "json"), "default": "text"},
    "--step": {"type": _step_or_place, "metavar": "N"},
    "--steps": {"type": _steps, "metavar": "M:N"},
    "--pass": {"type": _step, "metavar": "N"},
    "--theme": {"choices": ("light", "dark")},
    "--size": {"type": _size, "metavar": "WxH"},
}
"""Options that several verbs have."""
