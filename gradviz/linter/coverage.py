"""Which rules the doctor could check in a file, and what the others need."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from typing import Literal

from gradviz.catalogue.language import format_count
from gradviz.catalogue.messages import say, say_count, say_list
from gradviz.catalogue.rules import DOCTOR_RULES
from gradviz.catalogue.rules.declaration import DoctorRule
from gradviz.linter.selection import RuleSelection

WhyNotRun = Literal["", "no_run", "no_examples", "failed", "no_inputs", "file"]
"""Why no example of a file was run: not wanted, not declared, or not possible.

``gradviz.doctor`` runs no examples: it calls what it gets, with inputs, and only reads a file.
"""


@dataclass(frozen=True, slots=True, kw_only=True)
class Coverage:
    """What the doctor looked at in one file, or in several ones of the same kind.

    Attributes:
        paths: Paths of the files; of a call in Python, the name of what is called.
        functions: Number of their custom Functions, whose source was read.
        runs: Number of their examples that were recorded.
        differentiates_twice: Whether one of them recorded the graph of a backward pass.
        not_run: Why none was; empty if one was.
        selection: The rules to look for.
        is_call: Whether this is about a call in Python, not about a file.
    """

    paths: tuple[str, ...]
    functions: int
    runs: int
    differentiates_twice: bool
    not_run: WhyNotRun
    selection: RuleSelection
    is_call: bool = False

    @property
    def selected(self) -> tuple[DoctorRule, ...]:
        """The rules to look for."""
        return tuple(rule for rule in DOCTOR_RULES if self.selection.includes(rule.id))

    @property
    def checked(self) -> tuple[DoctorRule, ...]:
        """The rules that were looked for, in the source or in a run."""
        return tuple(rule for rule in self.selected if self._is_checked(rule))

    @property
    def unchecked(self) -> tuple[DoctorRule, ...]:
        """The rules of which nothing is known."""
        return tuple(rule for rule in self.selected if not self._is_checked(rule))

    @property
    def partly(self) -> tuple[DoctorRule, ...]:
        """The rules that were only read, although a run shows more violations."""
        found = (rule for rule in self.checked if rule.evidence != ("source",))
        return () if self.runs else tuple(found)

    @property
    def is_empty(self) -> bool:
        """Whether there was nothing to look at."""
        return not self.functions and not self.runs

    def sentences(self) -> Iterator[str]:
        """Yield what was checked, and what the other rules need."""
        if self.is_empty and self.is_call:
            yield say("doctor.coverage.nothing.call", name=self.paths[0])
            return
        if self.is_empty:
            yield say_count("doctor.coverage.nothing", len(self.paths), file=self.paths[0])
            return
        yield self._checked_text()
        run = [rule for rule in self.unchecked if not (self.runs or rule.needs)]
        if run:
            why = say(f"doctor.coverage.{self.not_run}")
            more = len(self.partly)
            text = say_count("doctor.coverage.unchecked", len(run), rules=_ids(run), why=why)
            yield f"{text} {say_count('doctor.coverage.partly', more)}" if more else text
        for need in ("second_order", "transform"):
            rules = [rule for rule in self.unchecked if rule.needs == need]
            if rules:
                yield say_count(f"doctor.coverage.{need}", len(rules), rules=_ids(rules))

    def _is_checked(self, rule: DoctorRule) -> bool:
        if "source" in rule.evidence and self.functions:
            return True
        met = not rule.needs or (rule.needs == "second_order" and self.differentiates_twice)
        return met and bool(self.runs)

    def _checked_text(self) -> str:
        file = say_count("doctor.coverage.files", len(self.paths), file=self.paths[0])
        kind = "calls" if self.is_call else "examples"
        runs = say_count(f"doctor.coverage.{kind}", self.runs)
        return say_count(
            "doctor.coverage.run" if self.runs else "doctor.coverage.read",
            len(self.selected),
            checked=format_count(len(self.checked)),
            file=file,
            examples=runs,
        )


def grouped(coverages: Iterable[Coverage]) -> tuple[Coverage, ...]:
    """Files of which the same is known, together, in the order of the first of each kind."""
    groups: dict[object, list[Coverage]] = {}
    for each in coverages:
        key = each.is_empty, each.checked, each.unchecked, each.not_run
        groups.setdefault(key, []).append(each)
    return tuple(
        replace(
            group[0],
            paths=tuple(path for each in group for path in each.paths),
            functions=sum(each.functions for each in group),
            runs=sum(each.runs for each in group),
        )
        for group in groups.values()
    )


def values_sentence(coverages: Sequence[Coverage]) -> str:
    """That no gradient was compared with the numerical one; empty if there was nothing to."""
    paths = [path for each in coverages if not each.is_empty for path in each.paths]
    if not paths:
        return ""
    if all(each.is_call for each in coverages):
        return say("doctor.coverage.values.call")
    return say_count("doctor.coverage.values", len(paths), file=paths[0])


def _ids(rules: Iterable[DoctorRule]) -> str:
    return say_list([rule.id for rule in rules])
