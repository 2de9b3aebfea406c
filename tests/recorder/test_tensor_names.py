"""Tensors are named as in the source."""

from __future__ import annotations

import ast
import functools
import inspect
import linecache
import operator
import textwrap
import weakref
from pathlib import Path
from types import FunctionType
from typing import Any

import pytest
import torch
import torch.nn.functional as F  # noqa: N812 - as users write it
from torch import nn

from gradviz.analysis.position.trace_position import TracePosition
from gradviz.model.step import ForwardStep, PassBeginStep
from gradviz.text.narration import describe_position
from tests.recorder.programs import Scale
from tests.recorder.recorded_run import RecordedRun, record_run


def inputs_of(recording: RecordedRun, op: str) -> list[str]:
    return [item.name for item in recording.named(ForwardStep, op).inputs]


def test_arguments_of_torch_functions(tmp_path: Path) -> None:
    def run() -> None:
        x = torch.ones(2, 2, requires_grad=True)
        y = x.sin()
        z = torch.atan2(x, y)
        total = torch.cat([x, y]).sum() + (z @ x).sum()
        F.mse_loss(y, x.detach())
        total.backward()

    recording = record_run(tmp_path, run)
    assert inputs_of(recording, "sin") == ["x"]
    assert inputs_of(recording, "atan2") == ["x", "y"]
    assert inputs_of(recording, "matmul") == ["z", "x"]
    assert inputs_of(recording, "cat") == ["x", "y"]
    assert inputs_of(recording, "mse_loss")[0] == "y"
    root = recording.steps(PassBeginStep)[0].roots[0]
    assert root.value.name == "total"
    assert [n.variable_name for n in recording.trace.nodes if n.kind == "accumulate"] == ["x"]


def test_leaves_of_modules_have_their_path(tmp_path: Path) -> None:
    model = nn.Sequential(nn.Linear(2, 2), nn.Sequential(nn.Linear(2, 1)))

    def run() -> None:
        x = torch.ones(1, 2)
        loss = model(x).relu()
        loss.sum().backward()

    recording = record_run(tmp_path, run)
    names = {n.variable_name for n in recording.trace.nodes if n.kind == "accumulate"}
    assert names == {
        f"model.{layer}.{kind}" for layer in ("0", "1.0") for kind in ("weight", "bias")
    }
    linears = [step.inputs[0].name for step in recording.steps(ForwardStep) if step.op == "linear"]
    assert linears == ["x", "input"]


def test_parameters_of_several_modules_have_the_names_of_their_variables(tmp_path: Path) -> None:
    cell, head = nn.LSTMCell(2, 2), nn.Linear(2, 1)
    first, second = nn.Sequential(nn.Linear(1, 1)), nn.Sequential(nn.Linear(1, 1))

    def both(generator: nn.Module, discriminator: nn.Module, x: torch.Tensor) -> Any:
        return discriminator(generator(x))

    def run() -> None:
        hidden, _ = cell(torch.ones(1, 2))
        both(first, second, head(hidden)).sum().backward()

    nodes = record_run(tmp_path, run).trace.nodes
    assert {each.variable_name for each in nodes if each.kind == "accumulate"} == {
        *(f"cell.{kind}_{of}" for kind in ("weight", "bias") for of in ("ih", "hh")),
        *("head.weight", "head.bias", "generator.0.weight", "generator.0.bias"),
        *("discriminator.0.weight", "discriminator.0.bias"),
    }


def _calls_from_elsewhere(head: nn.Linear) -> list[Any]:
    from torch.func import functional_call as call

    x = torch.ones(2, 2)
    extended: list[Any] = []
    results = map(head, x)
    extended.extend(results)
    return [*map(head, x), call(head, dict(head.named_parameters()), (x,)).sum(0), *extended]


def test_a_module_that_something_else_calls_has_its_variable(tmp_path: Path) -> None:
    def run() -> None:
        torch.stack(_calls_from_elsewhere(nn.Linear(2, 1))).sum().backward()

    nodes = record_run(tmp_path, run).trace.nodes
    names = {each.variable_name for each in nodes if each.kind == "accumulate"}
    assert names == {"head.weight", "head.bias"}


@pytest.mark.parametrize("first", ["transform", "other values"])
def test_parameters_of_a_functional_call_have_their_path(first: str, tmp_path: Path) -> None:
    model = nn.Sequential(nn.Linear(2, 1))
    x = torch.ones(3, 2)

    def loss(parameters: dict[str, torch.Tensor]) -> torch.Tensor:
        result: torch.Tensor = torch.func.functional_call(model, parameters, (x,)).sum()
        return result

    def run() -> None:
        parameters = dict(model.named_parameters())
        if first == "transform":
            torch.func.grad(loss)(parameters)
        else:
            for _ in range(2):
                loss({k: v.detach().requires_grad_() for k, v in parameters.items()}).backward()
        model(x).sum().backward()

    recording = record_run(tmp_path, run)
    names = {n.variable_name for n in recording.trace.nodes if n.kind == "accumulate"}
    assert names == {"model.0.weight", "model.0.bias"}
    assert not [f for f in recording.trace.findings if f.code == "unregistered_parameter"]


def test_the_result_of_a_custom_function_has_its_variables_name(tmp_path: Path) -> None:
    def run() -> None:
        loss = Scale.apply(torch.ones((), requires_grad=True))
        loss.backward()

    assert record_run(tmp_path, run).steps(PassBeginStep)[0].roots[0].value.name == "loss"


def test_operands_stand_in_the_order_in_which_torch_takes_them(tmp_path: Path) -> None:
    def run() -> None:
        x, k = torch.ones(2, requires_grad=True), 2.0
        y = 2 * x
        z = -2 * y
        u = k - z
        v = u - k
        w = v * k
        (w + u).sum().backward()

    recording = record_run(tmp_path, run)
    muls = [step for step in recording.steps(ForwardStep) if step.op == "mul"]
    names = [[item.name for item in step.inputs] for step in muls]
    # In `v * k` only the values tell which is the tensor.
    assert names == [["x", "other"], ["y", "other"], ["v", "k"]]
    assert inputs_of(recording, "rsub") == ["z", "k"]
    assert inputs_of(recording, "sub") == ["u", "k"]
    assert inputs_of(recording, "add") == ["w", "u"]
    assert [n.variable_name for n in recording.trace.nodes if n.kind == "accumulate"] == ["x"]


def test_arguments_without_a_name_in_the_source_have_that_of_torch(tmp_path: Path) -> None:
    embedding, pool = nn.Embedding(5, 4), nn.MaxPool1d(2)

    def run() -> None:
        table = embedding(torch.tensor([[0, 1]]))
        pooled = pool(table)
        (pooled * 2.0 + pooled).sum(dim=-1).sum().backward()

    recording = record_run(tmp_path, run)
    assert inputs_of(recording, "embedding")[:3] == ["input", "embedding.weight", "padding_idx"]
    assert inputs_of(recording, "max_pool1d")[:2] == ["table", "kernel_size"]
    assert inputs_of(recording, "add") == ["input", "pooled"]
    sums = [step.inputs for step in recording.steps(ForwardStep) if step.op == "sum"]
    assert [[item.name for item in each] for each in sums] == [["input", "dim"], ["input"]]
    assert describe_position(recording.index, TracePosition(step=1), "node") == (
        "embedding maps input 1×2 to table 1×2×4 using embedding.weight 5×4; "
        "autograd adds EmbeddingBackward0 to the graph."
    )


@pytest.mark.parametrize("order", [1, 2])
def test_methods_in_python_have_the_names_of_their_arguments(order: int, tmp_path: Path) -> None:
    def run() -> None:
        x = torch.ones(4, 6, requires_grad=True)
        width = order
        parts = (x * 1).norm(order), x.norm(order), torch.norm(x, order), F.normalize(x, order)
        pieces = (*(x * 1).split(width, 1), *x.split(width), *torch.split(x, width))
        pieces = (*pieces, torch.Tensor.norm(x, order), x.unflatten(1, (width, 6 // order)))
        torch.stack([each.sum() for each in (*parts, *pieces)]).sum().backward()

    recording = record_run(tmp_path, run)
    names = {
        op: [
            [item.name for item in step.inputs[:2]]
            for step in recording.steps(ForwardStep)
            if step.op == op
        ]
        for op in ("norm", "normalize", "split", "unflatten")
    }
    assert names["norm"] == [["input", "p"], ["x", "p"], ["x", "p"], ["x", "p"]]
    assert names["normalize"] == [["x", "p"]]
    assert names["split"] == [["input", "width"], ["x", "width"], ["x", "width"]]
    assert names["unflatten"] == [["x", "dim"]]
    assert [n.variable_name for n in recording.trace.nodes if n.kind == "accumulate"] == ["x"]


def test_functions_in_python_pass_their_first_parameters_in_their_order() -> None:
    """Then the arguments in the source are theirs, one by one."""
    found = 0
    for function in torch.overrides.get_testing_overrides():
        if not isinstance(function, FunctionType) or hasattr(function, "__wrapped__"):
            continue
        kinds = inspect.signature(function).parameters.values()
        taken = [each.name for each in kinds if each.kind == each.POSITIONAL_OR_KEYWORD]
        if len(taken) < len(kinds) and function.__code__.co_flags & inspect.CO_VARARGS:
            continue
        for node in ast.walk(ast.parse(textwrap.dedent(inspect.getsource(function)))):
            match node:
                case ast.Call(func=ast.Name(id="handle_torch_function"), args=[_, _, *passed]):
                    names = [ast.unparse(each) for each in passed]
                    assert names == taken[: len(names)] or function.__name__ in _MAKE_NO_NODES
                    found += 1
    assert found > 100


_MAKE_NO_NODES = frozenset(("__contains__", "__dlpack__"))


def _zipped(a: torch.Tensor, b: torch.Tensor) -> Any:
    return [u * v for u, v in zip(a, b, strict=True)]


def _mapped(f: Any, a: torch.Tensor) -> Any:
    return list(map(f, a))


def _extended(f: Any, parts: Any) -> Any:
    found: list[torch.Tensor] = []
    values = map(f, parts)
    found.extend(values)
    return found


def _reduced(f: Any, a: torch.Tensor) -> Any:
    parts = [a, a * 1, a * 1]
    return [functools.reduce(torch.add, parts), sum(parts, a), functools.reduce(f, parts, a)]


def _subtracted(a: torch.Tensor, b: torch.Tensor) -> Any:
    return [operator.sub(2, a), operator.sub(2, b)]


def _partly(a: torch.Tensor, b: torch.Tensor) -> Any:
    class Holder:
        # Python will bind it, and warns, unless it is static.
        times = staticmethod(functools.partial(torch.mul, b))

    holder = Holder()
    return [holder.times(a)]


@pytest.mark.parametrize(
    "program",
    [
        lambda a, b: _zipped(a, b),
        lambda a, b: _mapped(torch.exp, a),
        lambda a, b: _extended(torch.exp, [a, b]),
        lambda a, b: _reduced(torch.mul, a),
        _subtracted,
        _partly,
    ],
)
def test_a_call_that_torch_gets_from_another_function_takes_no_names_from_it(
    program: Any, tmp_path: Path
) -> None:
    def run() -> None:
        made = program(torch.ones(3, requires_grad=True), torch.ones(3, requires_grad=True))
        torch.stack(made).sum().backward()

    recording = record_run(tmp_path, run)
    known = {"input", "other", "dim", "u", "v", "a", "b"}
    leaves = {each.variable for each in recording.trace.nodes if each.kind == "accumulate"}
    for step in recording.steps(ForwardStep):
        if step.op in ("stack", "sum"):
            continue
        assert {item.name for item in step.inputs} <= known
        # A leaf has its own name wherever it is passed.
        named = [item.tensor for item in step.inputs if item.name in ("a", "b")]
        assert leaves.issuperset(named)


def test_a_result_inside_of_another_function_is_not_named_after_its_result(tmp_path: Path) -> None:
    def run() -> None:
        x = torch.ones(2, requires_grad=True)
        sums = list(map(torch.sum, [x, x]))
        sums[0].backward()

    assert record_run(tmp_path, run).steps(PassBeginStep)[0].roots[0].value.name != "sums"


def test_a_file_that_was_edited_gives_the_names_of_its_new_text(tmp_path: Path) -> None:
    path = tmp_path / "edited.py"

    def names_of(name: str) -> list[str]:
        text = f"{name} = torch.ones(2, requires_grad=True)\n{name}.sin().sum().backward()\n"
        path.write_text(text)
        linecache.checkcache(str(path))
        code = compile(text, str(path), "exec")
        folder = tmp_path / name
        folder.mkdir()
        recording = record_run(folder, lambda: exec(code, {"torch": torch}))
        return [n.variable_name for n in recording.trace.nodes if n.kind == "accumulate"]

    assert [names_of("x"), names_of("other")] == [["x"], ["other"]]


def test_leaves_in_containers_have_their_place(tmp_path: Path) -> None:
    class Holder:
        def __init__(self) -> None:
            self.w = torch.ones(2, requires_grad=True)
            self.parts = {"a": [torch.ones(2, requires_grad=True)]}

    def run() -> None:
        params = {"w": torch.ones(2, 2, requires_grad=True), 0: torch.ones(2, requires_grad=True)}
        layers = [nn.Linear(2, 2)]
        each = [torch.ones(2, requires_grad=True)]
        holder, key, x = Holder(), 0, torch.ones(2, requires_grad=True)
        y = F.linear(x, layers[-1].weight, params[0]) @ params["w"].t()
        y = y * holder.w + holder.parts["a"][0] - each[key]
        z = y * params["w"][0] + x[0]
        z.sum().backward()

    recording = record_run(tmp_path, run)
    leaves = {n.variable_name for n in recording.trace.nodes if n.kind == "accumulate"}
    assert leaves == {
        *("layers[-1].weight", "params[0]", "params['w']", "holder.w", "holder.parts['a'][0]"),
        *("x", "each[key]"),
    }
    assert inputs_of(recording, "linear") == ["x", "layers[-1].weight", "params[0]"]
    sums = [[item.name for item in each.inputs] for each in recording.steps(ForwardStep)][-2]
    assert sums == ["input", "x[0]"]


OPERANDS = """
import torch

x = torch.tensor([1.0, 2.0], requires_grad=True)
loss = 0
for k in range(2):
    loss = loss + (x * k).sum()
y = k * x
scaled = loss * len(y)
sum = 0
term = y.sum()
sum += term
"""


@pytest.mark.parametrize("inside", [False, True], ids=["outside", "inside"])
def test_values_tell_which_operand_is_the_tensor(inside: bool, tmp_path: Path) -> None:
    text = OPERANDS
    if inside:
        text = f"def run():{OPERANDS}run()".replace("\n", "\n    ").replace("    run()", "\nrun()")
    source = tmp_path / "operands.py"
    source.write_text(text)

    def run() -> None:
        exec(compile(text, str(source), "exec"), {"__name__": "operands"})

    recording = record_run(tmp_path, run)
    named = {
        op: [
            [item.name for item in step.inputs]
            for step in recording.steps(ForwardStep)
            if step.op == op
        ]
        for op in ("mul", "add")
    }
    assert named["mul"] == [["x", "k"], ["x", "k"], ["x", "k"], ["loss", "other"]]
    # In the first iteration, `loss` is the number.
    assert named["add"] == [["input", "loss"], ["loss", "other"], ["term", "sum"]]


def test_reading_operands_keeps_no_value_alive(tmp_path: Path) -> None:
    class Value:
        """An object with weak references."""

    alive = []

    def run() -> None:
        value, k, x = Value(), 2.0, torch.ones(2, requires_grad=True)
        reference = weakref.ref(value)
        y = x * k
        del value
        alive.append(reference() is not None)
        y.sum().backward()

    recording = record_run(tmp_path, run)
    assert inputs_of(recording, "mul") == ["x", "k"]
    assert alive == [False]


def test_what_a_function_has_seen_of_its_variables_stays(tmp_path: Path) -> None:
    seen = {}

    def run() -> None:
        k, x = 2.0, torch.ones(2, requires_grad=True)
        held = locals()
        later = 3.0
        _ = x * k
        seen.update(held)
        assert later

    record_run(tmp_path, run)
    assert seen.keys() == {"k", "seen", "x"}


def test_a_leaf_has_the_name_of_its_variable(tmp_path: Path) -> None:
    def model(given: torch.Tensor) -> torch.Tensor:
        return given.exp().sum()

    def run() -> None:
        made = torch.ones(2, requires_grad=True)
        marked = torch.ones(2).detach()
        marked.requires_grad_()
        chained = torch.ones(2).clone().requires_grad_()
        typed: torch.Tensor = torch.ones(2, requires_grad=True)
        one, other = torch.ones(1, requires_grad=True), torch.ones(2, requires_grad=True)
        for each in (made, marked, chained, typed, one, other):
            model(each).backward()
        model(walrus := torch.ones(2, requires_grad=True)).backward()
        assert walrus.grad is not None
        nn.Linear(2, 1)(made).sum().backward()

    recording = record_run(tmp_path, run)
    leaves = [node.variable_name for node in recording.trace.nodes if node.kind == "accumulate"]
    assert leaves[:7] == ["made", "marked", "chained", "typed", "one", "other", "walrus"]


class Mixture(nn.Module):
    """A model whose parts run through a method of its own, not through a call of it."""

    def __init__(self) -> None:
        super().__init__()
        self.router = nn.Linear(2, 1)
        self.experts = nn.ModuleList([nn.Linear(2, 2) for _ in range(2)])

    def loss(self, x: torch.Tensor) -> torch.Tensor:
        parts = [expert(x) for expert in self.experts]
        return (self.router(x) * sum(parts)).sum()


class Pair:
    """No module, but it has two."""

    def __init__(self) -> None:
        self.first, self.second = nn.Linear(2, 2), nn.Linear(2, 1)
        self.heads = [nn.Linear(1, 1), nn.Linear(1, 1)]

    def loss(self, x: torch.Tensor) -> torch.Tensor:
        outputs: list[torch.Tensor] = []
        outputs.extend(map(self.first, [x]))
        y = self.second(outputs[0])
        return torch.stack([head(y).sum() for head in self.heads]).sum()


def leaf_names(recording: RecordedRun) -> set[str]:
    return {node.variable_name for node in recording.trace.nodes if node.kind == "accumulate"}


def test_parts_of_a_model_that_is_never_called_have_their_path(tmp_path: Path) -> None:
    model = Mixture()
    recording = record_run(tmp_path, lambda: model.loss(torch.ones(3, 2)).backward())
    assert leaf_names(recording) == {name for name, _ in model.named_parameters()}


def test_no_two_parameters_share_a_name(tmp_path: Path) -> None:
    pair = Pair()
    recording = record_run(tmp_path, lambda: pair.loss(torch.ones(3, 2)).backward())
    parts = ("first", "second", "heads[0]", "heads[1]")
    expected = {f"{of}.{name}" for of in parts for name in WEIGHTS}
    assert leaf_names(recording) == expected


WEIGHTS = ("weight", "bias")
