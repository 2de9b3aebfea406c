"""torchvision-style models, recorded and folded: the first graph and its groups."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable
from pathlib import Path

import torch
from torch import nn

from gradviz.analysis.index.trace_index import TraceIndex
from gradviz.drawing.content.drawn_graph import DrawnGraph
from gradviz.drawing.content.graph_builder import drawn_graph
from gradviz.drawing.grouping.groups import FoldState
from gradviz.drawing.grouping.hierarchy import hierarchy_of
from tests.recorder.recorded_run import record_run


class Block(nn.Module):
    def __init__(self, width: int, stride: int) -> None:
        super().__init__()
        self.first = nn.Conv2d(width, width, 3, stride, 1, bias=False)
        self.norm = nn.BatchNorm2d(width)
        self.shortcut = nn.Conv2d(width, width, 1, stride) if stride > 1 else nn.Identity()

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        return torch.relu(self.norm(self.first(x)) + self.shortcut(x))


def transformer(layers: int) -> Callable[[], None]:
    layer = nn.TransformerEncoderLayer(8, 2, 16, batch_first=True)
    model, x = nn.TransformerEncoder(layer, layers, enable_nested_tensor=False), torch.ones(1, 3, 8)
    return lambda: model(x).sum().backward()


def resnet() -> Callable[[], None]:
    blocks = [Block(4, 2 if at % 5 == 0 else 1) for at in range(15)]
    model = nn.Sequential(nn.Conv2d(3, 4, 3), *blocks, nn.Flatten(), nn.LazyLinear(2))
    x = torch.randn(2, 3, 16, 16)
    model(x)
    return lambda: model(x).sum().backward()


def recurrent() -> None:
    cell, state = nn.RNNCell(3, 4), torch.zeros(2, 4)
    for row in torch.randn(40, 2, 3):
        state = cell(row, state)
    state.sum().backward()


def in_a_loop() -> None:
    weight, state = torch.randn(4, 4, requires_grad=True), torch.randn(4, requires_grad=True)
    for _ in range(60):
        state = torch.tanh(weight @ state) * 0.9
    state.sum().backward()


def drawn(index: TraceIndex, *opened: str) -> DrawnGraph:
    graph = drawn_graph(index, folds=FoldState(opened=frozenset(opened)))
    assert isinstance(graph, DrawnGraph)
    return graph


def groups(graph: DrawnGraph) -> dict[str, tuple[str, ...]]:
    return {node.title: node.lines for node in graph.nodes if node.group}


def frames(graph: DrawnGraph) -> list[tuple[str, str]]:
    return [(frame.title, frame.line) for frame in graph.frames]


def test_a_transformer(tmp_path: Path) -> None:
    index = record_run(tmp_path, transformer(12)).index
    graph = drawn(index)
    assert frames(graph) == [("model", "12 × TransformerEncoderLayer")]
    assert list(groups(graph)) == [f"layers.{number}" for number in range(12)]
    assert {lines[0] for lines in groups(graph).values()} == {"TransformerEncoderLayer"}
    hierarchy = hierarchy_of(index)
    keys = {index.module[g.call].path: g.key for g in hierarchy.groups if g.call is not None}
    opened = drawn(index, keys["layers.3"], keys["layers.3.self_attn"])
    assert [title for title, _ in frames(opened)] == [
        "model", "layers.3", "layers.3.self_attn"
    ]  # fmt: skip
    inner = {title for title in groups(opened) if title.startswith("layers.3.")}
    assert inner >= {"layers.3.linear1", "layers.3.linear2", "layers.3.norm1", "layers.3.norm2"}
    assert "layers.3.self_attn.out_proj.bias" in {node.title for node in opened.nodes}
    assert len(opened.nodes) < 150


def test_a_residual_network(tmp_path: Path) -> None:
    index = record_run(tmp_path, resnet()).index
    graph = drawn(index)
    assert ("1–15", "15 × Block") in frames(graph)
    assert [title for title in groups(graph) if title.isdecimal()] == [str(n) for n in range(1, 16)]
    once = Counter(n for node in graph.nodes if node.kind != "link" for n in node.nodes)
    for output in (node for node in graph.nodes if node.kind == "output"):
        once.subtract(output.nodes)
    assert once == Counter(list(index.node))


def test_one_module_called_many_times_is_not_many_modules(tmp_path: Path) -> None:
    graph = drawn(record_run(tmp_path, recurrent).index)
    assert "RNNCell, called 40 times" in groups(graph)["cell"]
    leaves = [node for node in graph.nodes if node.kind == "leaf"]
    names = {"cell.weight_ih", "cell.weight_hh", "cell.bias_ih", "cell.bias_hh"}
    assert {node.title for node in leaves} == names
    assert all("used by 40 nodes" in node.lines for node in leaves if "hh" not in node.title)


def test_a_loop_shows_its_weight_and_its_number_of_turns(tmp_path: Path) -> None:
    graph = drawn(record_run(tmp_path, in_a_loop).index)
    ((title, lines),) = groups(graph).items()
    assert title == "60 repetitions"
    assert lines[0] == "MulBackward0 … MvBackward0"
    assert {node.title for node in graph.nodes if node.kind == "leaf"} == {"weight", "state"}
