"""One line of arithmetic with real numbers: ``grad_input[0, 1] = 1·3 + 1·9 = 12``."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from typing import Final

from gradviz.analysis.arithmetic.element_arithmetic import MOST_TERMS, Arithmetic
from gradviz.analysis.arithmetic.expression import (
    Constant,
    Expression,
    Operand,
    Operation,
    chain,
    operands,
    terms,
)
from gradviz.analysis.dependence.element_dependence import ElementIndex
from gradviz.analysis.index.trace_index import TraceIndex
from gradviz.catalogue.language import format_count
from gradviz.catalogue.messages import say
from gradviz.catalogue.numbers import number_text
from gradviz.text.provenance import element_name

_MOST_SYMBOLS: Final = 3
"""Up to this many operands are also written with their names."""

_SHOWN_FIRST: Final = 3
_SUM, _PRODUCT, _POWER, _ATOM = 1, 2, 3, 4
_SUPERSCRIPTS: Final = str.maketrans("-0123456789", "⁻⁰¹²³⁴⁵⁶⁷⁸⁹")
_RELATIONS: Final = {"gt": ">≤", "ge": "≥<", "lt": "<≥", "le": "≤>", "eq": "=≠", "ne": "≠="}
"""The sign of each comparison, and that of its opposite."""


@dataclass(frozen=True, slots=True, kw_only=True)
class ArithmeticPiece:
    """A part of the line.

    Attributes:
        text: Its text.
        term: Number of the term that it belongs to, from 1, as in `ElementMark`; 0 for none.
        result: Whether it is the value of the result.
    """

    text: str
    term: int = 0
    result: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class ArithmeticText:
    """The line.

    Attributes:
        name: The element: ``grad_input[0, 1]``.
        symbols: What it was computed from by name: ``grad_output[0, :] · weight[1, :]``; may be
            empty.
        pieces: The computation with numbers and its result: ``1·3 + 1·9 = 12``.
        notes: What the numbers leave open, and who computed it; the most important first.
    """

    name: str
    symbols: str
    pieces: tuple[ArithmeticPiece, ...]
    notes: tuple[str, ...]

    @property
    def note(self) -> str:
        """All notes in parentheses; empty without one."""
        return say("arithmetic.note", notes="; ".join(self.notes)) if self.notes else ""

    @property
    def numbers(self) -> str:
        """The text of all pieces."""
        return "".join(piece.text for piece in self.pieces)

    @property
    def line(self) -> str:
        """Everything in one line."""
        text = " = ".join(part for part in (self.name, self.symbols, self.numbers) if part)
        return f"{text} {self.note}".rstrip()


def arithmetic_text(index: TraceIndex, arithmetic: Arithmetic, step: int) -> ArithmeticText:
    """The line for an element.

    Args:
        index: The trace.
        arithmetic: How the element was computed.
        step: Number of the step that is shown.
    """
    expression, result = arithmetic.expression, arithmetic.result
    equals = " = " if arithmetic.exact else " ≈ "
    value = ArithmeticPiece(text=_typeset(result.value), result=True)
    numbers = {id(part): number for number, part in enumerate(arithmetic.numbered_terms, 1)}
    computed = _ExpressionWriter(_leaf_number, numbers).write(expression)
    # What was only copied or chosen is the result itself.
    same = [piece.text for piece in computed] == [value.text]
    computed = [] if same else [*computed, ArithmeticPiece(text=equals)]
    symbols = _symbols(index, arithmetic)
    return ArithmeticText(
        name=element_name(result.name, result.element),
        symbols="" if same and symbols == value.text else symbols,
        pieces=(*computed, value),
        notes=tuple(_notes(arithmetic, step)),
    )


def _notes(arithmetic: Arithmetic, step: int) -> Iterator[str]:
    longest = _longest(arithmetic.expression)
    if longest > MOST_TERMS:
        yield say("arithmetic.terms", count=format_count(longest))
    if isinstance(arithmetic.expression, Operation) and arithmetic.expression.kind == "chosen":
        condition = _condition(arithmetic.expression.parts[1])
        yield say("arithmetic.because", condition=condition)
    if arithmetic.maker != "code":
        yield say(f"arithmetic.{arithmetic.maker}")
    if arithmetic.cast:
        yield say("arithmetic.cast")
    if not arithmetic.exact:
        yield say("arithmetic.rounded")
    if arithmetic.place.step != step:
        yield say("arithmetic.step", number=arithmetic.place.step)


def _longest(expression: Expression) -> int:
    """The largest number of parts of an operation."""
    if not isinstance(expression, Operation):
        return 0
    parts = chain(expression)
    return max(len(parts), *(_longest(part) for part in parts))


def _condition(expression: Expression) -> str:
    if not isinstance(expression, Operand):
        return "".join(
            each.text for each in _ExpressionWriter(_leaf_condition, {}).write(expression)
        )
    name, value = element_name(expression.name, expression.element), str(bool(expression.value))
    return say("element.value", element=name, value=value) if expression.name else value


class _ExpressionWriter:
    """Writes expressions as pieces of text."""

    def __init__(self, leaf: Callable[[Operand], str], numbers: dict[int, int]) -> None:
        """Use a text for operands, and the numbers of the terms by their ids."""
        self._leaf = leaf
        self._numbers = numbers

    def write(
        self, expression: Expression, above: int = 0, *, first: bool = True
    ) -> list[ArithmeticPiece]:
        """The text of an expression.

        Args:
            expression: The expression.
            above: Precedence of the operation that it is a part of; 0 for none.
            first: Whether it is the first part, in which a minus sign needs no parentheses.
        """
        pieces, strength = self._written(expression, above)
        negative = pieces[0].text.startswith("−") and not (first and above < _POWER)
        if strength < above or (above and negative):
            pieces = [ArithmeticPiece(text="("), *pieces, ArithmeticPiece(text=")")]
        term = self._numbers.get(id(expression), 0)
        if term:
            pieces = [ArithmeticPiece(text="".join(each.text for each in pieces), term=term)]
        return pieces

    def _written(self, expression: Expression, above: int) -> tuple[list[ArithmeticPiece], int]:
        match expression:
            case Operand():
                return [ArithmeticPiece(text=self._leaf(expression))], _ATOM
            case Constant():
                return [ArithmeticPiece(text=_typeset(expression.value))], _ATOM
            case Operation(kind="sum"):
                return self._sum(expression), _SUM
            case Operation(kind="product"):
                dot = "·" if above else " · "
                return self._joined(chain(expression), dot, _PRODUCT), _PRODUCT
            case Operation(kind="quotient"):
                upper, lower = expression.parts
                bar = ArithmeticPiece(text="/" if above else " / ")
                under = self.write(lower, _POWER, first=False)
                return [*self.write(upper, _PRODUCT), bar, *under], _PRODUCT
            case Operation(kind="power"):
                return self._power(expression), _POWER
            case Operation(kind="negative"):
                inner = self.write(expression.parts[0], _PRODUCT, first=False)
                return [ArithmeticPiece(text="−"), *inner], _PRODUCT
            case Operation(kind="chosen"):
                return self._written(expression.parts[0], above)
        return self._other(expression)

    def _other(self, expression: Operation) -> tuple[list[ArithmeticPiece], int]:
        """A comparison, or a function of its parts."""
        if expression.kind in _RELATIONS:
            # What does not hold is written as its opposite, which does.
            sign = f" {_RELATIONS[expression.kind][0 if expression.value else 1]} "
            return self._joined(expression.parts, sign, _SUM), 0
        name = expression.kind.replace("arc", "a")
        inner = self._joined(_shortened(expression.parts), ", ", 0)
        return [ArithmeticPiece(text=f"{name}("), *inner, ArithmeticPiece(text=")")], _ATOM

    def _sum(self, expression: Operation) -> list[ArithmeticPiece]:
        found: list[ArithmeticPiece] = []
        for place, part in enumerate(_shortened(chain(expression))):
            taken = isinstance(part, Operation) and part.kind == "negative"
            if place:
                found.append(ArithmeticPiece(text=" − " if taken else " + "))
            if part is None:
                found.append(ArithmeticPiece(text="…"))
            elif place and isinstance(part, Operation) and taken:
                written = self.write(part.parts[0], _PRODUCT, first=False)
                term = self._numbers.get(id(part), 0)
                text = "".join(each.text for each in written)
                found.append(ArithmeticPiece(text=text, term=term))
            else:
                found += self.write(part, _SUM, first=not place)
        return found

    def _joined(
        self, parts: Iterable[Expression | None], sign: str, strength: int
    ) -> list[ArithmeticPiece]:
        found: list[ArithmeticPiece] = []
        for place, part in enumerate(parts):
            if place:
                found.append(ArithmeticPiece(text=sign))
            if part is None:
                found.append(ArithmeticPiece(text="…"))
            else:
                found += self.write(part, strength, first=not place)
        return found

    def _power(self, expression: Operation) -> list[ArithmeticPiece]:
        base, exponent = expression.parts
        found = self.write(base, _ATOM)
        if isinstance(exponent, Constant) and exponent.value == int(abs(exponent.value)):
            raised = str(int(abs(exponent.value))).translate(_SUPERSCRIPTS)
            return [*found, ArithmeticPiece(text=raised)]
        return [*found, ArithmeticPiece(text="^"), *self.write(exponent, _ATOM)]


def _shortened(parts: tuple[Expression, ...]) -> Iterable[Expression | None]:
    """The first and the last of many parts, with None for those between."""
    if len(parts) <= MOST_TERMS:
        return parts
    return (*parts[:_SHOWN_FIRST], None, parts[-1])


def _typeset(value: complex) -> str:
    """A number in a formula, with the minus sign of its operators."""
    return number_text(value).replace("-", "−")


def _leaf_number(operand: Operand) -> str:
    return _typeset(operand.value)


def _leaf_condition(operand: Operand) -> str:
    name = element_name(operand.name, operand.element)
    value = _typeset(operand.value)
    return say("element.value", element=name, value=value) if operand.name else value


def _symbols(index: TraceIndex, arithmetic: Arithmetic) -> str:
    """The computation with names instead of numbers; empty if it would be long."""
    used = list(operands(arithmetic.expression))
    if not used or not all(operand.name for operand in used):
        return ""
    rows = _rows(index, terms(arithmetic.expression))
    if rows and terms(arithmetic.expression) == (
        chain(arithmetic.expression) if isinstance(arithmetic.expression, Operation) else ()
    ):
        return rows
    if len(used) > _MOST_SYMBOLS:
        return ""
    result = arithmetic.result.element
    alike = all(operand.element in ((), result) for operand in used)
    single = isinstance(arithmetic.expression, Operand)

    def leaf(operand: Operand) -> str:
        return operand.name if alike and not single else element_name(operand.name, operand.element)

    return "".join(each.text for each in _ExpressionWriter(leaf, {}).write(arithmetic.expression))


def _rows(index: TraceIndex, parts: tuple[Expression, ...]) -> str:
    """A sum as a row of one tensor, or as the product of two; empty if it is neither."""
    factors = [_factors(part) for part in parts]
    if len(parts) < 2 or len({len(each) for each in factors}) != 1:
        return ""
    texts = [_row(index, column) for column in zip(*factors, strict=True)]
    if not all(texts) or len(texts) > 2:
        return ""
    return " · ".join(texts) if len(texts) > 1 else f"{texts[0]}.sum()"


def _factors(expression: Expression) -> tuple[Expression, ...]:
    if isinstance(expression, Operation) and expression.kind == "product":
        return chain(expression)
    return (expression,)


def _row(index: TraceIndex, column: tuple[Expression, ...]) -> str:
    """Elements of one tensor along one dimension: ``weight[1, :]``; empty if they are not."""
    used = [each for each in column if isinstance(each, Operand)]
    first = used[0] if len(used) == len(column) else None
    if first is None or any(each.tensor != first.tensor for each in used):
        return ""
    varying = [
        dim
        for dim, places in enumerate(zip(*[each.element for each in used], strict=True))
        if len(set(places)) > 1
    ]
    if len(varying) != 1:
        return ""
    dim = varying[0]
    size = index.tensor.bare(first.tensor).shape[dim]
    if [each.element[dim] for each in used] != list(range(size)):
        return ""
    return f"{first.name}[{', '.join(_slices(first.element, dim))}]"


def _slices(element: ElementIndex, dim: int) -> list[str]:
    return [":" if at == dim else str(place) for at, place in enumerate(element)]
