"""What a source rule reports."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping

from msgspec import Struct, field

from gradviz.linter.function_class import FunctionClass, FunctionMethod


class Violation(Struct, frozen=True):
    """A place in a Function that violates a rule.

    Attributes:
        method: The method it is in.
        line: Its line.
        variant: Which of the rule's sentences applies: the end of its key, after the code.
        values: What is inserted in that sentence, besides ``where``, ``function`` and ``method``.
    """

    method: FunctionMethod
    line: int
    variant: str = "source"
    values: Mapping[str, str] = field(default_factory=dict)


SourceRule = Callable[[FunctionClass], Iterator[Violation]]
"""Yields the violations of one rule in a Function."""
