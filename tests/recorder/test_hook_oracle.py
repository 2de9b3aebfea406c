"""What steps and sentences say about backward is what hooks see in a plain run."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import torch
from torch.optim.optimizer import (
    register_optimizer_step_post_hook,
    register_optimizer_step_pre_hook,
)

from gradviz.analysis.index.trace_index import TraceIndex, index_reader
from gradviz.catalogue.numbers import number_text
from gradviz.model.item import Item
from gradviz.model.step import AccumulateStep, NodeStep, OptimizerStep, PassEndStep
from gradviz.store.reader import open_trace
from gradviz.text.narration import describe_step
from gradviz.text.phrases import shape_text
from tests.recorder.call_forms import calls_of_many_forms
from tests.recorder.hook_programs import PROGRAMS, Leaves
from tests.recorder.recorded_run import RecordedRun, record_run
from tests.sweeps import thinned

LEAF = "torch::autograd::AccumulateGrad"
RESHAPES = ("ReshapeAliasBackward0", "ViewBackward0")
"""Where one function calls ``reshape``, torch makes the second one under any dispatch mode."""


@dataclass
class Execution:
    """A node that the engine executed."""

    node: str
    incoming: list[Any]
    targets: list[Any]
    passed: list[Any] = field(default_factory=list)
    leaf: int = 0
    had_grad: bool = False
    total: Any = None


@dataclass
class Update:
    """A step of an optimizer."""

    leaves: list[int]
    before: list[Any]
    gradients: list[Any]
    after: list[Any] = field(default_factory=list)


@dataclass
class Plain:
    """What hooks saw in a plain run."""

    events: list[Execution | Update | list[Any]] = field(default_factory=list)
    held: list[Any] = field(default_factory=list)


def copied(value: Any) -> Any:
    """The elements of a tensor; None for an undefined one."""
    if not isinstance(value, torch.Tensor):
        return None
    dense = value.detach().to_dense() if value.layout != torch.strided else value.detach()
    return dense.clone().to(torch.float64).numpy()


def told_target(node: Any) -> Any:
    """What identifies the target of an edge: a leaf's tensor, or the name of a node."""
    if node is None:
        return None
    return id(node.variable) if node.name() == LEAF else node.name()


def are_alike(told: str, node: str) -> bool:
    return told == node or (told, node) == RESHAPES[::-1]


class Watch:
    """Hooks on all nodes of each pass, and on optimizers."""

    def __init__(self, seen: Plain) -> None:
        self._seen = seen
        self._hooked: set[Any] = set()
        self._open: list[Update] = []

    def engine(self, run: Callable[..., Any]) -> Callable[..., Any]:
        def watched(outputs: Any, *args: Any, **kwargs: Any) -> Any:
            self._hook([each.grad_fn for each in outputs])
            results = run(outputs, *args, **kwargs)
            if results:
                self._seen.events.append([copied(each) for each in results])
            return results

        return watched

    def _hook(self, waiting: list[Any]) -> None:
        while waiting:
            node = waiting.pop()
            if node is None or node in self._hooked:
                continue
            self._hooked.add(node)
            waiting += [target for target, _ in node.next_functions]
            opened: list[Execution] = []
            node.register_prehook(self._before(node, opened))
            node.register_hook(self._after(node, opened))

    def _before(self, node: Any, opened: list[Execution]) -> Callable[..., None]:
        def before(gradients: Any) -> None:
            targets = [told_target(target) for target, _ in node.next_functions]
            event = Execution(node.name(), [copied(each) for each in gradients], targets)
            if node.name() == LEAF:
                self._seen.held.append(node.variable)
                event.leaf, event.had_grad = id(node.variable), node.variable.grad is not None
            opened.append(event)
            self._seen.events.append(event)

        return before

    def _after(self, node: Any, opened: list[Execution]) -> Callable[..., None]:
        def after(made: Any, _gradients: Any) -> None:
            event = opened.pop()
            event.passed = [copied(each) for each in made]
            if node.name() == LEAF:
                event.total = copied(node.variable.grad)

        return after

    def update_begins(self, optimizer: Any, *_: Any) -> None:
        leaves = [each for group in optimizer.param_groups for each in group["params"]]
        gradients = [copied(each.grad) for each in leaves]
        self._open.append(Update([id(e) for e in leaves], [copied(e) for e in leaves], gradients))
        self._seen.held += leaves

    def update_ends(self, optimizer: Any, given: tuple[Any, ...], _options: Any) -> None:
        event = self._open.pop()
        self._seen.events.append(event)
        leaves = [each for group in optimizer.param_groups for each in group["params"]]
        event.after = [copied(each) for each in leaves]
        if given and callable(given[-1]):
            # A closure has made the gradients.
            event.gradients = [copied(each.grad) for each in leaves]


@contextmanager
def watched(seen: Plain, patch: pytest.MonkeyPatch) -> Iterator[None]:
    watch = Watch(seen)
    handles = [
        register_optimizer_step_pre_hook(watch.update_begins),
        register_optimizer_step_post_hook(watch.update_ends),
    ]
    with patch.context() as patches:
        for module in (torch.autograd.graph, torch.autograd):
            patches.setattr(module, "_engine_run_backward", watch.engine(run_engine))
        yield
    for handle in handles:
        handle.remove()


run_engine = torch.autograd.graph._engine_run_backward  # noqa: SLF001 - hooked as the engine runs


class Comparison:
    """Compares the steps of a recorded run with the events of a plain one."""

    def __init__(self, recorded: RecordedRun, index: TraceIndex, plain: Leaves) -> None:
        self._run = recorded
        self.index = index
        self.name_of = {id(each): name for name, each in plain.items()}
        self._told: dict[str, int] = {}

    def same(self, item: Item, value: Any) -> None:
        if value is None:
            assert item.kind == "none" or item.tensor is None, item
        elif item.tensor in self._run.values:
            found = np.asarray(self._run.values[item.tensor], np.float64)
            np.testing.assert_array_equal(found, value, err_msg=item.name, strict=True)
        else:
            assert item.tensor is not None
            assert self.index.tensor[item.tensor].layout == "sparse_coo"

    def leaf(self, told: str, leaf: int) -> str:
        """The told name, which belongs to no other leaf and is the expected one."""
        assert self._told.setdefault(told, leaf) == leaf, told
        assert self.is_expected(told, leaf), told
        return told

    def is_expected(self, told: str, leaf: int) -> bool:
        """Whether a name is a leaf's path, or that behind the variable of its model."""
        path = self.name_of.get(leaf, told)
        return told == path or told.endswith(f".{path}")

    def execution(self, step: NodeStep | AccumulateStep, event: Execution) -> None:
        node, text = self.index.node[step.node], describe_step(self.index, step)
        assert are_alike(node.name, event.node)
        if isinstance(step, AccumulateStep):
            self._accumulation(step, event, text)
            return
        for item, value in zip(step.incoming, event.incoming, strict=True):
            self.same(item, value)
        # Slots without a node behind them get no gradient.
        passed = [each for each in step.passed if each.edge is not None]
        slots = [slot for slot, target in enumerate(event.targets) if target is not None]
        assert [each.slot for each in passed] == slots
        flows = []
        for each in passed:
            target, value = event.targets[each.slot], event.passed[each.slot]
            self.same(each.item, value)
            reached = self.index.node[self.index.edge[each.edge or 0].target]
            if isinstance(target, int):
                name = self.leaf(reached.variable_name, target)
            else:
                name = reached.name
                assert are_alike(name, target)
            flows.append(flow(name, value))
        if not node.call:
            assert_said(text.split(" passes ")[-1], flows[:4])

    def _accumulation(self, step: AccumulateStep, event: Execution, text: str) -> None:
        self.same(step.contribution, event.incoming[0])
        self.same(step.total, event.total)
        name = self.leaf(self.index.node[step.node].variable_name, event.leaf)
        given = event.incoming[0]
        assert step.added is event.had_grad
        what = shape_text(given.shape) if given.ndim else f"gradient {number_text(float(given))}"
        sparse = self.index.tensor[step.contribution.tensor or 0].layout.startswith("sparse")
        what = f"sparse {what}" if sparse else what
        pattern = "{1}.*is added to {0}.grad" if event.had_grad else "{0}.grad is set to .*{1}"
        assert re.search(pattern.format(re.escape(name), re.escape(what)), text), text

    def update(self, step: OptimizerStep, event: Update) -> None:
        text = describe_step(self.index, step)
        moved, same, without = [], [], []
        for at, leaf in enumerate(event.leaves):
            self.same(step.before[at], event.before[at])
            self.same(step.gradients[at], event.gradients[at])
            self.same(step.after[at], event.after[at])
            name = step.before[at].name
            assert self.is_expected(name, leaf), name
            unchanged = np.array_equal(event.before[at], event.after[at])
            kind = without if event.gradients[at] is None else same if unchanged else moved
            kind.append(name)
        subject = text.split(" by -lr")[0].split(" (")[0].split(". ")[0]
        assert_said(subject, moved[:3])
        assert not any(f" {name} " in f"{subject} " for name in (*same, *without))
        assert_said(text.partition("missing gradient: ")[2], without[:3])
        assert_said(text.partition("despite a gradient: ")[2], same[:3])
        if " by -lr times " in text:
            rate = float(text.split("lr = ")[1].rstrip(".").split(". ")[0])
            for before, gradient, after in zip(
                event.before, event.gradients, event.after, strict=True
            ):
                if gradient is not None:
                    np.testing.assert_allclose(after, before - rate * gradient, rtol=1e-5)


def flow(name: str, value: Any) -> str:
    if value is None:
        return f"None to {name}"
    if not value.ndim:
        return f"a gradient of {number_text(float(value))} to {name}"
    return f"{shape_text(value.shape)} gradient to {name}"


def assert_said(text: str, parts: list[str]) -> None:
    """All parts are in the text, in their order."""
    place = 0
    for part in parts:
        place = text.find(part, place) + len(part)
        assert place >= len(part), (part, text)


@pytest.mark.parametrize("level", ["nodes", "all"])
@pytest.mark.parametrize("code", thinned([*PROGRAMS, calls_of_many_forms]))
def test_backward_is_told_as_hooks_see_it(
    code: Callable[[], Leaves], level: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    seen = Plain()
    torch.manual_seed(0)
    with watched(seen, monkeypatch):
        plain = code()
    torch.manual_seed(0)
    run = record_run(tmp_path, code, level=level)
    with open_trace(tmp_path / "run.gradviz") as reader:
        compare(Comparison(run, index_reader(reader), plain), seen)


def compare(comparison: Comparison, seen: Plain) -> None:
    steps = [
        step
        for step in comparison.index.trace.steps
        if isinstance(step, NodeStep | AccumulateStep | OptimizerStep)
        or (isinstance(step, PassEndStep) and step.results)
    ]
    assert len(steps) == len(seen.events)
    for step, event in zip(steps, seen.events, strict=True):
        match event:
            case Execution():
                comparison.execution(step, event)
            case Update():
                comparison.update(step, event)
            case _:
                for item, value in zip(step.results, event, strict=True):
                    comparison.same(item, value)
