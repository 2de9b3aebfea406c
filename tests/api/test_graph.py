"""``gradviz.graph`` draws the graph that is there, names its leaves, and changes nothing."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any
from xml.etree import ElementTree

import pytest
import torch
from torch import Tensor

import gradviz
from gradviz.api import trace_files
from gradviz.cli.main import main

Walked = list[tuple[str, list[tuple[int, int] | None]]]


class Square(torch.autograd.Function):
    @staticmethod
    def forward(ctx: Any, x: Tensor) -> Tensor:
        ctx.save_for_backward(x)
        return x * x

    @staticmethod
    def backward(ctx: Any, *grads: Tensor) -> Tensor:
        (x,) = ctx.saved_tensors
        return 2 * x * grads[0]


def leaf(*shape: int) -> Tensor:
    return torch.ones(shape, requires_grad=True)


def mlp() -> Any:
    model = torch.nn.Sequential(torch.nn.Linear(3, 4), torch.nn.ReLU(), torch.nn.Linear(4, 1))
    return Square.apply(model(leaf(2, 3))).sum()


def shared() -> Any:
    x = leaf(2)
    y = x * x
    for _ in range(3):
        y = y * y + x
    return y.sum(), (x.exp(), {"last": y[0]})


def chain() -> Any:
    y = leaf(1)
    for _ in range(3000):
        y = y * 1.0
    return y


def several_outputs() -> Any:
    first, second = leaf(4, 2).split(2)
    values, _ = first.sort()
    return values.sum() + second.unbind()[1].sum()


def second_order() -> Any:
    x = leaf(2)
    (grad,) = torch.autograd.grad((x**3).sum(), x, create_graph=True)
    return grad.sum()


def checkpointed() -> Any:
    return torch.utils.checkpoint.checkpoint(torch.sin, leaf(2) * 2, use_reentrant=True)


def already_freed() -> Any:
    loss = mlp()
    loss.backward()
    return loss


def roots_of(outputs: Any) -> Iterator[Any]:
    if isinstance(outputs, Tensor):
        yield outputs.grad_fn
    else:
        for each in outputs.values() if isinstance(outputs, dict) else outputs:
            yield from roots_of(each)


def walk(roots: Iterator[Any]) -> Walked:
    """Nodes and their edges, each edge as place of its target and slot, found by recursion."""
    numbers: dict[Any, int] = {}
    waiting = list(dict.fromkeys(roots))
    waiting.reverse()
    while waiting:
        node = waiting.pop()
        if node in numbers:
            continue
        numbers[node] = len(numbers)
        waiting += [target for target, _ in reversed(node.next_functions) if target is not None]
    return [
        (
            node.name(),
            [None if to is None else (numbers[to], slot) for to, slot in node.next_functions],
        )
        for node in numbers
    ]


GRAPHS = [
    mlp,
    shared,
    chain,
    several_outputs,
    second_order,
    checkpointed,
    already_freed,
]


@pytest.mark.parametrize("make", GRAPHS)
def test_it_has_the_nodes_and_edges_of_next_functions(make: Callable[[], Any]) -> None:
    outputs = make()
    expected = walk(roots_of(outputs))
    records = gradviz.graph(outputs).trace.records
    assert [node.name for node in records.nodes] == [name for name, _ in expected]
    edges = [
        (each.source - 1, each.slot, each.target - 1, each.target_slot) for each in records.edges
    ]
    assert edges == [
        (source, slot, *to)
        for source, (_, targets) in enumerate(expected)
        for slot, to in enumerate(targets)
        if to is not None
    ]
    assert not records.steps
    assert walk(roots_of(outputs)) == expected


def names(graph: gradviz.AutogradGraph) -> list[str]:
    return [each.variable_name for each in graph.trace.nodes if each.kind == "accumulate"]


def test_leaves_are_named_after_modules_and_variables_of_the_caller() -> None:
    scale = leaf(1)
    encoder = torch.nn.Sequential(torch.nn.Linear(3, 2, bias=False))
    # The paths are those of the outermost module.
    held = [torch.nn.Sequential(torch.nn.Linear(2, 1, bias=False))]
    decoder = held[0][0]
    hidden = encoder(torch.ones(1, 3)) * scale
    loss = decoder(hidden).sum() + (leaf(1) * 2).sum()
    found = names(gradviz.graph(loss))
    assert found == ["encoder.0.weight", "scale", "held[0].0.weight", ""]
    assert repr(gradviz.graph(loss)).startswith("<AutogradGraph 'Graph of loss', ")
    assert repr(gradviz.graph((loss, hidden))).startswith(
        "<AutogradGraph 'Graph of loss and hidden'"
    )
    assert repr(gradviz.graph(loss * 2)).startswith("<AutogradGraph 'Graph of MulBackward0', ")
    assert repr(gradviz.graph(loss, title="Mine")).startswith("<AutogradGraph 'Mine', ")


def test_given_names_come_first() -> None:
    model = torch.nn.Linear(3, 1)
    x = leaf(1, 3)
    loss = model(x)
    assert names(gradviz.graph(loss, params=model)) == ["bias", "x", "weight"]
    given = {f"net.{name}": each for name, each in model.named_parameters()}
    assert names(gradviz.graph(loss, params=given)) == ["net.bias", "x", "net.weight"]
    with pytest.raises(TypeError, match=r"params must be a module or a dict .*, not list"):
        gradviz.graph(loss, params=list(model.parameters()))  # type: ignore[arg-type]


def test_saved_tensors_are_read_and_nothing_is_unpacked() -> None:
    x = torch.tensor([2.0, 3.0], requires_grad=True)
    records = gradviz.graph(Square.apply(x)).trace
    (slot,) = records.records.saved
    assert slot.item.tensor is not None
    assert records.tensor(slot.item.tensor).numpy().tolist() == [2.0, 3.0]

    def refuse(packed: object) -> Tensor:
        raise AssertionError(packed)

    with torch.autograd.graph.saved_tensors_hooks(lambda _: "shelf", refuse):
        y = Square.apply(x).exp()
    texts = [each.item.text for each in gradviz.graph(y).trace.records.saved]
    assert len(texts) == 2
    assert all("packed by saved-tensor hooks" in each for each in texts)


def test_values_can_be_left_out() -> None:
    graph = gradviz.graph(mlp(), values=False)
    assert graph.trace.records.tensors
    assert not any(graph.trace.tensor(each.id).is_whole for each in graph.trace.records.tensors)


def test_backward_works_afterwards_and_nothing_is_left_behind() -> None:
    x = leaf(3)
    loss = (x * 3).exp().sum()
    gradviz.graph(loss)
    assert loss.grad_fn is not None
    assert loss.grad_fn.metadata == {}
    assert x.grad is None
    loss.backward()
    assert torch.equal(x.grad, 3 * (x.detach() * 3).exp())


def test_it_works_while_a_recording_is_open() -> None:
    x = leaf(3)
    with gradviz.record() as recording:
        loss = (x * 3).sum()
        nodes = [each.name for each in gradviz.graph(loss).trace.nodes]
        loss.backward()
    assert nodes == ["SumBackward0", "MulBackward0", "torch::autograd::AccumulateGrad"]
    assert len(recording.trace.nodes) == 3
    assert not recording.trace.findings


@pytest.mark.parametrize("value", [torch.ones(2), leaf(2), 3, (), None])
def test_what_has_no_graph_is_refused(value: object) -> None:
    with pytest.raises(ValueError, match=r"none of the given values is a tensor with a grad_fn"):
        gradviz.graph(value)


def test_it_says_that_no_run_was_recorded(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    graph = gradviz.graph(mlp())
    said = "No steps were recorded, so this is only the graph."
    svg = graph.save(tmp_path / "g.svg").read_text()
    assert said in svg
    assert "gradient still to come" not in svg
    assert said in str(graph.trace)
    assert main(["steps", str(graph.save(tmp_path / "g.gradviz"))]) == 0
    assert said in capsys.readouterr().out


def test_it_is_saved_in_each_format(tmp_path: Path) -> None:
    model = torch.nn.Sequential(torch.nn.Linear(3, 4), torch.nn.ReLU(), torch.nn.Linear(4, 1))
    graph = gradviz.graph(Square.apply(model(torch.ones(2, 3))))
    light = graph.save(tmp_path / "light.svg").read_text()
    dark = graph.save(tmp_path / "dark.SVG", theme="dark").read_text()
    assert light != dark
    for each in (light, dark):
        texts = {node.get("aria-label") for node in ElementTree.fromstring(each).iter()}
        assert {"SquareBackward", "model.0.bias", "model.0.weight"} <= texts
    assert graph.save(tmp_path / "g.png").read_bytes().startswith(b"\x89PNG")
    assert graph.save(tmp_path / "g.pdf").read_bytes().startswith(b"%PDF")
    assert "SquareBackward" in graph.save(tmp_path / "g.dot").read_text()
    with gradviz.load(graph.save(tmp_path / "g.gradviz")) as trace:
        assert trace.nodes == graph.trace.nodes
    with pytest.raises(ValueError, match=r"must end in \.svg, \.png, \.pdf, \.dot or \.gradviz"):
        graph.save(tmp_path / "g.jpg")
    with pytest.raises(OSError, match="missing"):
        graph.save(tmp_path / "missing" / "g.png")


def test_a_notebook_displays_it_in_both_themes() -> None:
    html = gradviz.graph(mlp(), title="<b>&")._repr_html_()
    images = ElementTree.fromstring(html).findall("img")
    assert [each.get("class") for each in images] == ["gradviz-light", "gradviz-dark"]
    assert {each.get("alt") for each in images} == {"<b>&"}


def test_its_folder_goes_with_it_unless_it_is_shown(monkeypatch: pytest.MonkeyPatch) -> None:
    commands: list[list[str]] = []
    monkeypatch.setattr(
        trace_files.subprocess, "Popen", lambda command, **_: commands.append(command)
    )
    graph = gradviz.graph(mlp())
    path = graph.path
    assert path.exists()
    del graph
    assert not path.parent.exists()
    graph = gradviz.graph(mlp())
    graph.show()
    path = graph.path
    del graph
    assert path.exists()
    assert commands[0][-1] == str(path)
    path.unlink()
    path.parent.rmdir()
