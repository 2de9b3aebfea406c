"""Search for the operation of a custom backward whose change makes the gradients right.

The changed backward is compared with the numerical Jacobians in products with random gradients of
all outputs at once, for the given inputs and for moved ones.

Diagnoses of operations whose change makes the gradients right.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from itertools import combinations

import torch
from msgspec import Struct, field
from msgspec.structs import replace
from torch import Tensor

from gradviz.catalogue.messages import say, say_list
from gradviz.checks.arguments import is_expandable
from gradviz.checks.diagnosis.investigations.factor import factor_name, is_simple, rounded
from gradviz.checks.diagnosis.support.jacobian_pair import Cause, JacobianPair
from gradviz.checks.diagnosis.support.perturbed_rerun import trial_run
from gradviz.checks.diagnosis.support.repair_bench import SAME, SEEDS, RepairBench
from gradviz.checks.diagnosis.support.rule import say_dimensions
from gradviz.checks.reference.edited_backward import BackwardEdit, OpCall
from gradviz.checks.reference.operation_edits import FUNCTIONS, EditKind, OperationEdit
from gradviz.checks.run.context import CheckContext
from gradviz.model.diagnosis import Diagnosis


def diagnosis_of(repair: BackwardRepair, edit: BackwardEdit, cause: Cause) -> Diagnosis:
    """The diagnosis of one of the changes of a repair."""
    pairs = repair.pairs
    others = [each for each in repair.edits if each is not edit]
    changes = [_change(repair, each) for each in (edit, *others)]
    evidence = say(
        "diagnosis.edited.two" if others else "diagnosis.edited",
        wrong=0,
        count=sum(pair.numerical.numel() for pair in pairs),
        change=changes[0],
        other=changes[-1],
    )
    corrected = None
    if len(pairs) == len(repair.matrices) == 1:
        corrected = pairs[0].repair(" ".join(changes), repair.matrices[0])
    return cause.diagnosis(pairs, moved=repair.is_sure, evidence=[evidence], repair=corrected)


def _change(repair: BackwardRepair, edit: BackwardEdit) -> str:
    """What to do, as an imperative sentence."""
    return say(f"diagnosis.edited.{written_kind(edit)}.repair", **edit_values(repair, edit))


_EXCHANGED = {"first": "second", "second": "first"}


def written_kind(edit: BackwardEdit) -> str:
    """The kind of a change, with operands in the order of the source: torch gets 2 * x as x * 2."""
    before, _, operand = edit.option.kind.rpartition("_")
    if operand in _EXCHANGED and edit.calls[-1].source.is_reflected:
        return f"{before}_{_EXCHANGED[operand]}".removeprefix("_")
    return edit.option.kind


def edit_values(repair: BackwardRepair, edit: BackwardEdit) -> dict[str, object]:
    """What the sentences about a change name."""
    names = list(dict.fromkeys(pair.input_name for pair in repair.pairs))
    call, option = edit.calls[-1], edit.option
    dims, other = option.dims, repair.values.get(option.name, option.name)
    other = f"{option.function}({other})" if option.function else other
    return {
        "inputs": say_list(names),
        "line": str(call.line),
        "operation": f"`{call.source.call}`" if call.source.call else call.name,
        "factor": factor_name(edit.factor),
        "dims": dims[0] if len(dims) == 1 else f"({', '.join(map(str, dims))})",
        "dimensions": say_dimensions(dims) if dims else "",
        "value": f"{option.value:g}",
        "other": say("diagnosis.value.transpose", value=other) if option.transposes else other,
        "amount": factor_name(abs(edit.factor)),
    }


_SECONDS = 2.0
"""Limit of processor time."""

_MOST_EDITS = 200
_MEASURED: dict[EditKind, float] = {"scale": 1.0, "shift": 0.0}
"""Changes by a measured number, and the number that changes nothing."""

_SCALE = OperationEdit("scale")
_MATRIX_PRODUCTS: Sequence[EditKind] = ("left_product", "right_product")
BY_VALUES: Sequence[EditKind] = (
    "multiply",
    "divide",
    "use_first",
    "use_second",
    *_MATRIX_PRODUCTS,
)
"""Changes by another value that is at hand."""

_ALIKE = 1e-9


class BackwardRepair(Struct, frozen=True):
    """Changes that make the gradients of some inputs right and leave all others as they are.

    Attributes:
        edits: One change, or two.
        pairs: The pairs that are right with it.
        is_sure: Whether it was confirmed for other input values.
        matrices: The analytical Jacobians of these pairs with the change; empty if they are large.
        values: What the values are that the changes use, by name.
    """

    edits: tuple[BackwardEdit, ...]
    pairs: tuple[JacobianPair, ...]
    is_sure: bool
    matrices: tuple[Tensor, ...] = ()
    values: Mapping[str, str] = field(default_factory=dict)


def find_backward_repairs(
    case: CheckContext, pairs: Sequence[JacobianPair], kinds: Collection[EditKind]
) -> list[BackwardRepair]:
    """The changes that make some of the pairs right; among equal ones, only the last call's."""
    return _search(case, pairs, lambda search: search.run(kinds))


def find_double_repairs(
    case: CheckContext, pairs: Sequence[JacobianPair], kinds: Collection[EditKind]
) -> list[BackwardRepair]:
    """The first two changes that together make some of the pairs right."""
    return _search(case, pairs, lambda search: search.run_two(kinds))


def _search(
    case: CheckContext,
    pairs: Sequence[JacobianPair],
    run: Callable[[_Search], list[BackwardRepair]],
) -> list[BackwardRepair]:
    # In lower precision, noise would hide which change is right.
    wide = (torch.float64, torch.complex128)
    if case.subject.order != 1 or not pairs or any(p.numerical.dtype not in wide for p in pairs):
        return []
    found: list[BackwardRepair] = []
    with trial_run(case):
        found = run(_Search(case, pairs))
    return found


class _Search:
    def __init__(self, case: CheckContext, pairs: Sequence[JacobianPair]) -> None:
        self._pairs = {pair.place: pair for pair in pairs}
        wrong = {place: pair.numerical for place, pair in self._pairs.items()}
        self._here = RepairBench(case, case.subject.arguments, wrong)
        self._elsewhere = self._moved(case, pairs[0])
        self._until = time.process_time() + _SECONDS
        self._calls, self._saved = self._here.calls()

    def _moved(self, case: CheckContext, pair: JacobianPair) -> RepairBench | None:
        moved = {} if pair.reruns is None else pair.reruns.moved()
        arguments = None if pair.reruns is None else pair.reruns.moved_arguments()
        if arguments is None or not moved.keys() >= self._pairs.keys():
            return None
        return RepairBench(
            case, arguments, {place: moved[place].numerical for place in self._pairs}
        )

    def run(self, kinds: Collection[EditKind]) -> list[BackwardRepair]:
        found: dict[tuple[EditKind, frozenset[int]], BackwardRepair] = {}
        explained: set[int] = set()
        for kind in kinds:
            for edit in self._edits(kind):
                if time.process_time() > self._until:
                    return list(found.values())
                right = self._here.repaired([edit])
                if right is None or right & explained or not self._holds([edit], right):
                    continue
                repair = self._repair([edit], right)
                # The last of equal factors is the nearest to the result; other changes come in
                # the order of preference.
                if repair is None:
                    continue
                earlier = found.get((kind, right))
                if earlier is None or (kind in _LAST and not _is_only_passed(earlier, repair)):
                    found[kind, right] = repair
            # The gradients of other inputs may be computed from what was changed for all of them.
            rights = [right for _, right in found]
            found = {k: e for k, e in found.items() if not any(k[1] < each for each in rights)}
            explained |= {i for right in rights for i in right}
        return list(found.values())

    def run_two(self, kinds: Collection[EditKind]) -> list[BackwardRepair]:
        for edits in self._two_edits(kinds):
            if time.process_time() > self._until:
                break
            unclear = any(self._is_unclear(each.calls) for each in edits)
            right = None if unclear else self._here.repaired(edits)
            if right is not None and self._holds(edits, right):
                repair = self._repair(edits, right)
                if repair is not None:
                    return [repair]
        return []

    def _is_unclear(self, calls: Sequence[OpCall]) -> bool:
        """Whether no sentence can name the calls: some of a loop's, or several expressions."""
        places = {(each.line, each.name, each.source) for each in calls}
        ran = [each for each in self._calls if (each.line, each.name, each.source) in places]
        return len(places) > 1 or len(ran) > len(calls)

    def _edits(self, kind: EditKind) -> Iterator[BackwardEdit]:
        if kind in BY_VALUES:
            yield from self._with_values(kind)
            return
        lines: dict[tuple[object, str, OperationEdit], list[OpCall]] = {}
        offered = [(each, option) for each in self._calls for option in each.edits]
        offered = [(each, option) for each, option in offered if option.kind == kind]
        for each, option in offered[:_MOST_EDITS]:
            lines.setdefault((each.line, each.name, option), []).append(each)
        # The calls of one line in a loop share a mistake, so they are also changed together.
        several = [(tuple(calls), key[2]) for key, calls in lines.items() if len(calls) > 1]
        for calls, option in (*(((each,), option) for each, option in offered), *several):
            edit = None if self._is_unclear(calls) else self._measured(option, calls)
            if edit is not None:
                yield edit

    def _measured(self, option: OperationEdit, calls: tuple[OpCall, ...]) -> BackwardEdit | None:
        """A change with the number that comes nearest to the targets; None without an effect."""
        neutral = _MEASURED.get(option.kind)
        if neutral is None:
            return BackwardEdit(option, calls)
        # If the products are linear in the number, one run shows its effect; if they are not,
        # the verification of the change fails.
        effect = self._here.effect(BackwardEdit(option, calls, neutral + 1))
        size = 0.0 if effect is None else float(effect @ effect)
        if effect is None or not 0 < size < torch.inf:
            return None
        number = rounded(neutral + float(effect @ self._here.missing()) / size)
        # People forget a 1 or an n; nobody forgets to add -0.00025.
        if option.kind == "shift" and not is_simple(number):
            return None
        return BackwardEdit(option, calls, number)

    def _with_values(self, kind: EditKind) -> Iterator[BackwardEdit]:
        """Changes of results by a saved tensor or by the result of an earlier call."""
        calls = [
            each for each in self._calls if each.shape is not None and not self._is_unclear((each,))
        ]
        outputs = [(name, tuple(each.shape)) for name, each in self._here.values.items()]
        for k, call in enumerate(calls):
            results = [(f"#{each.number}", each.shape or ()) for each in calls[:k]]
            for name, shape in (*call.saved, *results, *outputs):
                if _fits(kind, shape, call):
                    for transposes in (False, True)[: 1 + (kind in _MATRIX_PRODUCTS)]:
                        option = OperationEdit(kind, name=name, transposes=transposes)
                        yield BackwardEdit(option, (call,))
        if kind != "multiply":
            return
        for call in calls:
            for name, shape in call.saved:
                for function in FUNCTIONS if _fits(kind, shape, call) else ():
                    yield BackwardEdit(OperationEdit(kind, name=name, function=function), (call,))

    def _two_edits(self, kinds: Collection[EditKind]) -> Iterator[tuple[BackwardEdit, ...]]:
        """Changes of two terms: together, their effects are what is missing.

        Each factor must be simple, because two free numbers fit more by chance.
        """
        exact = self._with_effect(edit for kind in kinds for edit in self._edits(kind))
        calls = [each for each in self._calls if each.shape is not None]
        scaled = self._with_effect(BackwardEdit(_SCALE, (each,), 2.0) for each in calls)
        missing = self._here.missing()
        allowed = SAME * float(missing.norm())
        for one, two in combinations(range(len(exact)), 2):
            if float((exact[one][1] + exact[two][1] - missing).norm()) <= allowed:
                yield exact[one][0], exact[two][0]
        for edit, effect in exact:
            for other, change in scaled:
                share = float((missing - effect) @ change) / float(change @ change)
                if float((share * change + effect - missing).norm()) <= allowed:
                    yield from _if_simple(edit, (other, share))
        for (one_edit, first), (two_edit, second) in combinations(scaled, 2):
            basis = torch.stack([first, second], 1)
            gram = basis.T @ basis
            if float(torch.linalg.det(gram)) <= _ALIKE * float(gram[0, 0] * gram[1, 1]):
                continue
            shares = torch.linalg.solve(gram, basis.T @ missing)
            if float((basis @ shares - missing).norm()) <= allowed:
                found = (one_edit, float(shares[0])), (two_edit, float(shares[1]))
                yield from _if_simple(None, *found)

    def _with_effect(self, edits: Iterable[BackwardEdit]) -> list[tuple[BackwardEdit, Tensor]]:
        found = []
        for edit in edits:
            if time.process_time() > self._until:
                break
            effect = self._here.effect(edit)
            if effect is not None and bool(effect.any()) and bool(effect.isfinite().all()):
                found.append((edit, effect))
        return found

    def _holds(self, edits: Sequence[BackwardEdit], right: frozenset[int]) -> bool:
        if any(self._here.repaired(edits, seed) != right for seed in SEEDS[1:]):
            return False
        there = self._elsewhere
        return there is None or all(there.repaired(edits, seed) == right for seed in SEEDS)

    def _repair(
        self, edits: Sequence[BackwardEdit], right: frozenset[int]
    ) -> BackwardRepair | None:
        positions = {self._here.positions[i] for i in right}
        pairs = tuple(pair for pair in self._pairs.values() if pair.block.input in positions)
        matrices = self._here.matrices(edits, pairs)
        if any(
            not pair.agree(each, pair.numerical)
            for pair, each in zip(pairs, matrices, strict=False)
        ):
            return None
        values = dict(self._saved)
        for call in self._calls:
            values[f"#{call.number}"] = say(
                "diagnosis.value.call", line=str(call.line), operation=call.name
            )
        return BackwardRepair(tuple(edits), pairs, self._elsewhere is not None, matrices, values)


def _is_only_passed(earlier: BackwardRepair, later: BackwardRepair) -> bool:
    """Whether the later call only hands on or sums what the earlier one computed."""
    one, other = earlier.edits[-1].calls[-1], later.edits[-1].calls[-1]
    return other.name in _PASSING and one.line != other.line and one.name not in _PASSING


_PASSING = {"sum", "mean", "clone", "to_copy", "index", "index_select", "cat", "stack", "copy"}
"""Operations that compute no new factor or sign."""


def _if_simple(
    exact: BackwardEdit | None, *scaled: tuple[BackwardEdit, float]
) -> Iterator[tuple[BackwardEdit, ...]]:
    """The changes, with their factors; nothing if a factor is not simple."""
    edits = [replace(edit, factor=rounded(1 + share)) for edit, share in scaled]
    # To leave a result out is another change.
    if all(is_simple(each.factor) and each.factor not in (0, 1) for each in edits):
        yield (*(() if exact is None else (exact,)), *edits)


_LAST: Collection[EditKind] = ("accumulate", "first", "second", "omit", "scale")


_COPIES = {"clone", "to_copy", "conj_physical"}
"""Operations that only prepare an operand; torch adds them itself."""


def _fits(kind: EditKind, shape: tuple[int, ...], call: OpCall) -> bool:
    if kind in ("multiply", "divide"):
        return call.shape is not None and is_expandable(shape, call.shape)
    if kind in _MATRIX_PRODUCTS:
        # Only a square matrix keeps the shape of the result.
        side = -2 if kind == "left_product" else -1
        own = call.shape or ()
        return len(own) >= 2 == len(shape) and shape[0] == shape[1] == own[side] > 1
    if call.name in _COPIES:
        return False
    place = 0 if kind == "use_first" else 1
    return call.operands[place : place + 1] == (shape,)
