"""Find the arithmetic with which one element of a recorded tensor was computed.

Nothing is guessed: the expression follows the recorded ops, and what it gives is compared with
what was recorded. Where an op has no formula or elements were not stored, there is no arithmetic.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace
from typing import Final, Literal

from msgspec import structs

from gradviz.analysis.arithmetic.expression import (
    Constant,
    Expression,
    Operand,
    Operation,
    chain,
    is_reproduced,
    operands,
    operation,
    terms,
)
from gradviz.analysis.arithmetic.op_formulas import (
    FormulaQuery,
    NoFormulaError,
    moved_from,
    op_expression,
)
from gradviz.analysis.dependence.element_dependence import DependenceQuery, ElementIndex
from gradviz.analysis.index.step_queries import step_at
from gradviz.analysis.index.trace_index import TraceIndex
from gradviz.analysis.position.trace_position import TracePosition, op_at
from gradviz.analysis.provenance.origin_tracer import ElementLookup, contributing_inputs
from gradviz.analysis.provenance.producer import Moment, Producer, moment_after
from gradviz.analysis.provenance.producers import Producers, step_inputs
from gradviz.model.inputs import Number
from gradviz.model.item import Item, gradient_name
from gradviz.model.source import Location
from gradviz.model.step import AccumulateStep, NodeStep, Step
from gradviz.model.step_values import MADE, values_of

Maker = Literal["code", "engine", "edges", "accumulate"]
"""``code``: an op of the step; ``engine``: a conversion of what backward returned; ``edges``: the
sum of the gradients that arrive along several edges; ``accumulate``: the addition into ``.grad``.
"""

MOST_TERMS: Final = 6
"""Longer sums are abbreviated."""

_MOST_OPERANDS: Final = 12
_MOST_EXPANDED: Final = 256
"""Up to this many intermediate results are replaced by what they were computed from."""


@dataclass(frozen=True, slots=True, kw_only=True)
class ElementMark:
    """An element that takes part in an arithmetic.

    Attributes:
        tensor: Number of its tensor.
        element: Its index.
        term: Number of the term that it is a factor of, from 1; 0 for an element without a
            partner, or if there are too many terms to tell them apart.
        result: Whether it is the result.
    """

    tensor: int
    element: ElementIndex
    term: int = 0
    result: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class Arithmetic:
    """How one element was computed.

    Attributes:
        result: The element.
        expression: What it was computed from.
        maker: Who computed it.
        cast: Whether the engine changed its dtype afterwards.
        exact: Whether the expression gives the element bit for bit; otherwise up to rounding.
        place: Place of the computation in the run.
        location: Line of the user's code that computed it, or its first operand if torch itself
            computed it from that; None if none did.
    """

    result: Operand
    expression: Expression
    maker: Maker
    cast: bool
    exact: bool
    place: TracePosition
    location: Location | None

    @property
    def numbered_terms(self) -> tuple[Expression, ...]:
        """The summands, if they are few and have factors to be paired; otherwise empty."""
        parts = terms(self.expression)
        paired = any(len(list(operands(part))) > 1 for part in parts)
        return parts if paired and 1 < len(parts) <= MOST_TERMS else ()

    @property
    def marks(self) -> tuple[ElementMark, ...]:
        """All elements that take part, each once, the result first."""
        found = _marks(self.result, result=True)
        for number, part in enumerate((*self.numbered_terms, self.expression), 1):
            term = 0 if part is self.expression else number
            for operand in operands(part):
                found += _marks(operand, term)
        # An element of a term is also one of the whole expression, and may be in several terms.
        return tuple({(mark.tensor, mark.element): mark for mark in reversed(found)}.values())[::-1]


def _marks(operand: Operand, term: int = 0, *, result: bool = False) -> list[ElementMark]:
    places = ((operand.tensor, operand.element), *operand.copies)
    return [
        ElementMark(tensor=tensor, element=element, term=term, result=result)
        for tensor, element in places
    ]


class ArithmeticFinder:
    """Finds arithmetic in one run; for one thread at a time."""

    def __init__(self, index: TraceIndex) -> None:
        self._index = index
        self._elements = ElementLookup(index)
        self._producers = Producers(index)
        self._found: dict[tuple[int, Moment], tuple[Producer, int] | None] = {}
        self._names: dict[int, StepNames] = {}

    def find(self, place: TracePosition, tensor: int, element: ElementIndex) -> Arithmetic | None:
        """How an element was computed.

        Args:
            place: Place at which the tensor is seen.
            tensor: Number of the tensor.
            element: Index of the element.

        Returns:
            None if the element was not computed in this run, if what computed it has no known
            formula, or if the formula does not give the recorded element.
        """
        value = self._value(tensor, element)
        if value is None:
            return None
        result = Operand(tensor=tensor, element=element, value=value)
        return self._follow(result, moment_after(place))

    def _follow(self, result: Operand, before: Moment) -> Arithmetic | None:
        """Go back through copies of the result to what computed it."""
        here, cast = result, False
        while True:
            made = self._made(here.tensor, before)
            if made is None:
                return None
            producer, _ = made
            name = self._name(producer.place.step, here.tensor)
            result = replace(result, name=result.name or name)
            source = self._source(made, here)
            if source is None:
                expression = self._computed(made, here)
                return (
                    None
                    if expression is None
                    else self._arithmetic(result, expression, producer, cast=cast)
                )
            tensor, element = source
            value = self._value(tensor, element)
            if value is None:
                return None
            if producer.place.stage == "engine":
                cast = cast or self._dtype(tensor) != self._dtype(here.tensor)
            here = Operand(tensor=tensor, element=element, value=value)
            given = self._all_names(producer.place.step).given
            if producer.kind == "op" and self._given_name(given, tensor):
                name = self._given_name(given, tensor)
                return self._arithmetic(result, replace(here, name=name), producer, cast=cast)
            result = replace(result, copies=(*result.copies, source))
            before = producer.begun

    def _arithmetic(
        self, result: Operand, expression: Expression, producer: Producer, *, cast: bool
    ) -> Arithmetic | None:
        exact = is_reproduced(expression, result.value, self._dtype(result.tensor))
        if exact is None:
            return None
        kinds: dict[str, Maker] = {"accumulate": "accumulate", "sum": "edges", "engine": "engine"}
        maker = kinds.get(producer.kind) or kinds.get(producer.place.stage or "") or "code"
        return Arithmetic(
            result=result,
            expression=expression,
            maker=maker,
            cast=cast,
            exact=exact,
            place=producer.place,
            location=self._location(expression, producer),
        )

    def _location(self, expression: Expression, producer: Producer) -> Location | None:
        """The line that computed an element, or the first operand if the engine did."""
        op = op_at(self._index, producer.place)
        first = next(operands(expression), None)
        if op is None or op.location is not None or first is None:
            return None if op is None else op.location
        made = self._made(first.tensor, producer.begun)
        op = None if made is None else op_at(self._index, made[0].place)
        return None if op is None else op.location

    def _computed(self, made: tuple[Producer, int], result: Operand) -> Expression | None:
        """The verified expression of an element, with intermediate results written out."""
        expression = self._expression(made, result)
        step = made[0].place.step
        while expression is not None:
            further = self._written_out(expression, made[0].begun, step)
            if further == expression or _shown(further) > _MOST_OPERANDS:
                break
            expression = further
        return expression

    def _written_out(self, expression: Expression, before: Moment, step: int) -> Expression:
        """Replace unnamed intermediate results of a step by what they were computed from."""
        hidden = [each for each in operands(expression) if not each.name]
        if not hidden or len(hidden) > _MOST_EXPANDED:
            return expression
        match expression:
            case Operation():
                parts = [self._written_out(part, before, step) for part in expression.parts]
                return replace(expression, parts=tuple(parts))
            case Operand(name=""):
                made = self._made(expression.tensor, before)
                if made is None or made[0].kind != "op" or made[0].place.step != step:
                    return expression
                return self._expression(made, expression) or expression
        return expression

    def _expression(self, made: tuple[Producer, int], result: Operand) -> Expression | None:
        """What a producer computed, unless that does not give the recorded element."""
        producer, _ = made
        query = self._query(made, result)

        def read(place: int, element: ElementIndex) -> Expression:
            item = contributing_inputs(producer)[place]
            if item.tensor is None:
                raise NoFormulaError
            return self._operand(producer, item.tensor, element, item.name)

        found = _formula(producer, FormulaQuery(dependence=query, read=read))
        if found is None:
            return None
        if is_reproduced(found, result.value, self._dtype(result.tensor)) is None:
            return None
        # What is computed from it used the rounded result.
        return replace(found, value=result.value) if isinstance(found, Operation) else found

    def _operand(
        self, producer: Producer, tensor: int, element: ElementIndex, name: str
    ) -> Operand:
        """An input element, followed back through views and copies within the step.

        Raises:
            NoFormulaError: If it was not stored.
        """
        value = self._value(tensor, element)
        if value is None:
            raise NoFormulaError
        step, before = producer.place.step, producer.begun
        found = Operand(tensor=tensor, element=element, value=value)
        if producer.kind in ("sum", "accumulate", "engine", "call"):
            return replace(found, name=self._name(step, tensor) or name)
        names = self._all_names(step)
        copies: list[tuple[int, ElementIndex]] = []
        shown = self._given_name(names.named, tensor)
        while not self._given_name(names.given, found.tensor):
            made = self._made(found.tensor, before)
            if made is None or made[0].place.step != step or made[0].kind != "op":
                break
            source = self._source(made, found)
            if source is None or self._value(*source) != value:
                break
            copies.append((found.tensor, found.element))
            found = Operand(tensor=source[0], element=source[1], value=value)
            shown = shown or self._given_name(names.named, found.tensor)
            before = made[0].begun
        return replace(found, name=shown, copies=tuple(copies))

    def _source(
        self, made: tuple[Producer, int], result: Operand
    ) -> tuple[int, ElementIndex] | None:
        """The tensor and index of the element that a producer passed on without computing."""
        producer, _ = made
        inputs = contributing_inputs(producer)
        moved: tuple[int, ElementIndex] | None = None
        if producer.kind in ("op", "call"):
            moved = moved_from(producer.name, self._query(made, result))
        elif (
            producer.kind in ("engine", "sum", "accumulate")
            and len(inputs) == 1
            and not producer.name.startswith("reduced")
        ):
            # A conversion that changes the dtype at most, or a sum of one gradient.
            moved = (0, result.element)
        if moved is None:
            return None
        tensor = inputs[moved[0]].tensor
        return None if tensor is None else (tensor, moved[1])

    def _query(self, made: tuple[Producer, int], result: Operand) -> DependenceQuery:
        producer, output = made
        return self._elements.query(producer, output, result.tensor, result.element)

    def _made(self, tensor: int, before: Moment) -> tuple[Producer, int] | None:
        """What produced a tensor, and the index of the tensor among its outputs."""
        key = (tensor, before)
        if key not in self._found:
            producer = self._producers.of(tensor, before, everywhere=False)
            output = None if producer is None else producer.output(self._producers.aliases(tensor))
            self._found[key] = None if producer is None or output is None else (producer, output)
        return self._found[key]

    def _all_names(self, step: int) -> StepNames:
        if step not in self._names:
            self._names[step] = step_names(self._index, step)
        return self._names[step]

    def _name(self, step: int, tensor: int) -> str:
        return self._given_name(self._all_names(step).named, tensor)

    def _given_name(self, names: dict[int, str], tensor: int) -> str:
        return next((names[each] for each in self._producers.aliases(tensor) if each in names), "")

    def _value(self, tensor: int, element: ElementIndex) -> Number | None:
        array = self._elements.array(tensor)
        if array is None or len(element) != array.ndim:
            return None
        number: Number = array[element].item()
        return int(number) if isinstance(number, bool) else number

    def _dtype(self, tensor: int) -> str:
        return self._index.tensor.bare(tensor).dtype


def _formula(producer: Producer, wanted: FormulaQuery) -> Expression | None:
    query = wanted.dependence
    match producer.kind:
        case "op" | "call":
            return op_expression(producer.name, wanted)
        case "engine":
            return op_expression("sum_to_size", wanted)
        case "sum" | "accumulate":
            # The engine adds the contribution to what was there before.
            places = sorted(query.shapes, reverse=producer.kind == "accumulate")
            return operation("sum", *[wanted.read(place, query.element) for place in places])
    return None


def _shown(expression: Expression) -> int:
    """How many numbers the text of an expression contains."""
    match expression:
        case Operation(kind="sum"):
            parts = chain(expression)
            counts = [_shown(part) for part in parts]
            return sum(counts) if len(parts) <= MOST_TERMS else sum(counts[:3]) + counts[-1]
        case Operation():
            return sum(_shown(part) for part in expression.parts)
        case Operand() | Constant():
            return 1


@dataclass(frozen=True, slots=True, kw_only=True)
class StepNames:
    """Names of the tensors of one step.

    Attributes:
        given: Names of what existed before the step's own computation.
        named: Names of all tensors, by number; the code's own names first.
    """

    given: dict[int, str]
    named: dict[int, str]


def step_names(index: TraceIndex, number: int) -> StepNames:
    """The names of the tensors of a step."""
    step = step_at(index, number)
    given = _by_tensor(step_inputs(index, step))
    inside = index.inside.get(number)
    local = (
        item
        for part in (() if inside is None else inside.parts)
        for line in part.lines
        for item in line.changes
    )
    return StepNames(
        given=given, named=_by_tensor(named_results(index, step)) | _by_tensor(local) | given
    )


def named_results(index: TraceIndex, step: Step | None) -> Iterator[Item]:
    """What a step computed, in order; gradients are named ``grad_weight``."""
    made = [] if step is None else [item for role, item in values_of(step) if role in MADE]
    if isinstance(step, NodeStep):
        yield from step.incoming
        yield from (structs.replace(item, name=gradient_name(item.name)) for item in made)
    elif isinstance(step, AccumulateStep):
        leaf = index.node[step.node].variable_name or step.contribution.name
        yield structs.replace(step.contribution, name=gradient_name(leaf))
        yield structs.replace(step.total, name=f"{leaf}.grad")
    else:
        yield from made


def _by_tensor(items: Iterator[Item] | tuple[Item, ...]) -> dict[int, str]:
    found: dict[int, str] = {}
    for item in items:
        if item.tensor is not None:
            found.setdefault(item.tensor, item.name)
    return found
