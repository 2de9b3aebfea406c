"""Graphs made from names, edges and modules; each node has its own step."""

from __future__ import annotations

import random
from collections import Counter
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager
from typing import Any

from msgspec.structs import replace

from gradviz.analysis.index.trace_index import TraceIndex, index_trace
from gradviz.drawing.content.drawn_graph import DrawnGraph
from gradviz.drawing.content.graph_builder import NO_FOLDS, drawn_graph
from gradviz.drawing.grouping.groups import FoldState
from gradviz.drawing.grouping.hierarchy import forward_order
from gradviz.model.graph import Edge, ModuleCall, Node, NodeKind
from gradviz.model.item import none_item
from gradviz.model.step import (
    AccumulateStep,
    ForwardStep,
    NodeStep,
    PassBeginStep,
    PassedGradient,
    PassEndStep,
    Root,
    Step,
)
from gradviz.model.trace import Trace
from tests.builders import ORIGIN


class Sketch:
    """Nodes and edges, added one by one; edges of a node get its slots in order."""

    def __init__(self) -> None:
        self.nodes: list[Node] = []
        self.edges: list[Edge] = []
        self.modules: list[ModuleCall] = []
        self._slots: dict[int, int] = {}
        self._running: list[int] = []

    @contextmanager
    def module(self, path: str, class_name: str) -> Iterator[None]:
        """Nodes added inside belong to this module call."""
        number = len(self.modules) + 1
        parent = self._running[-1] if self._running else None
        self.modules.append(ModuleCall(id=number, path=path, class_name=class_name, parent=parent))
        self._running.append(number)
        yield
        self._running.pop()

    def outside(self, add: Callable[[], int]) -> int:
        """Nodes added inside belong to no module, as if created by another thread."""
        running, self._running = self._running, []
        added = add()
        self._running = running
        return added

    def nest(self, depth: int, add: Callable[[], object]) -> None:
        """Nodes added inside belong to so many nested modules."""
        with ExitStack() as stack:
            for number in range(depth):
                stack.enter_context(self.module(f"m{number}", "M"))
            add()

    def forget_modules(self, chance: random.Random) -> None:
        """Forget the module of some nodes."""
        self.nodes = [
            replace(node, module_call=None) if chance.random() < 0.1 else node
            for node in self.nodes
        ]

    def node(self, name: str, *targets: int, kind: NodeKind = "builtin") -> int:
        number = len(self.nodes) + 1
        self.nodes.append(
            Node(
                id=number,
                name=name,
                kind=kind,
                sequence_nr=None,
                call=None,
                variable=None,
                variable_name="weight" if kind == "accumulate" else "",
                made_by=None,
                module_call=self._running[-1] if self._running and kind != "accumulate" else None,
            )
        )
        for target in targets:
            self.edge(number, target)
        return number

    def leaf(self) -> int:
        return self.node("AccumulateGrad", kind="accumulate")

    def edge(self, source: int, target: int) -> None:
        slot = self._slots.get(source, 0)
        self._slots[source] = slot + 1
        number = len(self.edges) + 1
        self.edges.append(Edge(id=number, source=source, slot=slot, target=target, target_slot=0))

    def index(self) -> TraceIndex:
        made = [node.id for node in self.nodes if node.kind != "accumulate"]
        return index_trace(
            Trace(
                origin=ORIGIN,
                nodes=tuple(self.nodes),
                edges=tuple(self.edges),
                modules=tuple(self.modules),
                steps=tuple(_made(number, node) for number, node in enumerate(made, 1)),
            )
        )


def with_backward(index: TraceIndex) -> TraceIndex:
    """The same trace after a backward pass from its last node, whose gradients nobody kept."""
    position = {node: at for at, node in enumerate(forward_order(index))}
    steps: list[Step] = list(index.trace.steps)
    root = max(index.made_at, key=index.made_at.__getitem__)
    nothing = none_item("gradient")
    begin = PassBeginStep(
        number=len(steps) + 1,
        started_ns=0,
        pass_id=1,
        parent=None,
        roots=(Root(node=root, output_nr=0, value=none_item("output"), gradient=nothing),),
        create_graph=False,
        keep_graph=False,
        accumulate=True,
        location=None,
    )
    steps.append(begin)
    for node in sorted(position, key=position.__getitem__, reverse=True):
        steps.append(_executed(index, node, len(steps) + 1))
    steps.append(PassEndStep(number=len(steps) + 1, started_ns=0, pass_id=1, results=()))
    return index_trace(replace(index.trace, steps=tuple(steps)))


def _executed(index: TraceIndex, node: int, number: int) -> Step:
    timing = {"number": number, "finished": True, "started_ns": 0, "duration_ns": 0, "pass_id": 1}
    nothing = none_item("gradient")
    if index.node[node].kind == "accumulate":
        return AccumulateStep(node=node, contribution=nothing, total=nothing, **timing)  # type: ignore[arg-type]
    passed = tuple(
        PassedGradient(
            slot=edge.slot, argument=None, edge=edge.id, item=nothing, change="unchanged"
        )
        for edge in index.leaving.get(node, ())
    )
    return NodeStep(
        node=node,
        incoming=(nothing,),
        received=(),
        returned=(),
        passed=passed,
        thread="",
        **timing,  # type: ignore[arg-type]
    )


def _made(number: int, node: int) -> ForwardStep:
    return ForwardStep(
        number=number,
        finished=True,
        started_ns=0,
        duration_ns=0,
        pass_id=None,
        op="op",
        node=node,
        nodes=(node,),
        call=None,
        inputs=(),
        outputs=(),
        location=None,
    )


def chain(length: int, *, kind: NodeKind = "builtin") -> TraceIndex:
    """So many nodes in a row, then a leaf."""
    sketch = Sketch()
    last = sketch.leaf()
    for number in range(length):
        last = sketch.node(("MulBackward0", "AddBackward0")[number % 2], last, kind=kind)
    return sketch.index()


def branches(count: int) -> TraceIndex:
    """So many branches of one leaf, summed in a tree (W7)."""
    sketch = Sketch()
    leaf = sketch.leaf()
    ends = [sketch.node("SinBackward0", sketch.node("MulBackward0", leaf)) for _ in range(count)]
    while len(ends) > 1:
        pairs = zip(ends[::2], ends[1::2], strict=False)
        odd = ends[-1:] if len(ends) % 2 else []
        ends = [sketch.node("AddBackward0", *pair) for pair in pairs] + odd
    return sketch.index()


def recurrent(steps: int) -> TraceIndex:
    """An RNN whose steps share two weights (W8)."""
    sketch = Sketch()
    inner, outer = sketch.leaf(), sketch.leaf()
    state = sketch.leaf()
    for _ in range(steps):
        from_state = sketch.node("MmBackward0", state, inner)
        from_input = sketch.node("MmBackward0", sketch.node("TBackward0", outer))
        state = sketch.node("TanhBackward0", sketch.node("AddBackward0", from_state, from_input))
    return sketch.index()


def residual(layers: int) -> TraceIndex:
    """Layers that add their input to what they made of it, each with its own weight."""
    sketch = Sketch()
    value = sketch.leaf()
    for _ in range(layers):
        made = sketch.node("AddmmBackward0", sketch.leaf(), value, sketch.leaf())
        value = sketch.node("AddBackward0", value, sketch.node("ReluBackward0", made))
    return sketch.index()


def layered(layers: int, *, path: str = "layers.{0}") -> TraceIndex:
    """Layers with residual connections, each of a linear module and a ReLU; a head, and a sum."""
    sketch = Sketch()
    with sketch.module("Net", "Net"):
        value = sketch.node("EmbeddingBackward0", sketch.leaf())
        for number in range(layers):
            name = path.format(number)
            with sketch.module(name, "Layer"):
                with sketch.module(f"{name}.linear", "Linear"):
                    turned = sketch.node("TBackward0", sketch.leaf())
                    made = sketch.node("AddmmBackward0", sketch.leaf(), value, turned)
                with sketch.module(f"{name}.relu", "ReLU"):
                    made = sketch.node("ReluBackward0", made)
                value = sketch.node("AddBackward0", value, made)
        with sketch.module("head", "Linear"):
            turned = sketch.node("TBackward0", sketch.leaf())
            value = sketch.node("AddmmBackward0", sketch.leaf(), value, turned)
    sketch.node("SumBackward0", value)
    return sketch.index()


def residual_net(blocks: int) -> TraceIndex:
    """Like a ResNet: a stem, and blocks of three convolutions with a shortcut."""
    sketch = Sketch()
    with sketch.module("Sequential", "Sequential"):
        value = _convolution(sketch, "0", "1")
        value = sketch.node("MaxPool2DWithIndicesBackward0", sketch.node("ReluBackward0", value))
        for number in range(4, 4 + blocks):
            with sketch.module(str(number), "Bottleneck"):
                kept = value
                if number % 4 == 0:
                    kept = _convolution(
                        sketch, f"{number}.shortcut.0", f"{number}.shortcut.1", kept
                    )
                for at in range(3):
                    name = f"{number}.convolutions.{at}"
                    value = _convolution(sketch, f"{name}.0", f"{name}.1", value)
                    value = sketch.node("AddBackward0", value, kept) if at == 2 else value
                    value = sketch.node("ReluBackward0", value)
        value = sketch.node("ViewBackward0", sketch.node("MeanBackward1", value))
    sketch.node("SumBackward0", value)
    return sketch.index()


def _convolution(sketch: Sketch, first: str, second: str, *value: int) -> int:
    with sketch.module(first, "Conv2d"):
        made = sketch.node("ConvolutionBackward0", *value, sketch.leaf())
    with sketch.module(second, "BatchNorm2d"):
        leaves = sketch.leaf(), sketch.leaf()
        return sketch.node("NativeBatchNormBackward0", made, *leaves)


def users_of_one(kind: NodeKind, count: int) -> TraceIndex:
    """A chain of so many nodes, each of which uses the same leaf or inner node too."""
    sketch = Sketch()
    shared = sketch.leaf() if kind == "accumulate" else sketch.node("TBackward0", sketch.leaf())
    last: tuple[int, ...] = ()
    for _ in range(count):
        last = (sketch.node("MmBackward0", *last, shared),)
    return sketch.index()


def drawn(index: TraceIndex, folds: FoldState = NO_FOLDS, **options: Any) -> DrawnGraph:
    """The drawing of a graph that is not too large."""
    graph = drawn_graph(index, folds=folds, **options)
    assert isinstance(graph, DrawnGraph)
    return graph


def assert_no_cycle(graph: DrawnGraph) -> None:
    waiting = Counter(edge.target for edge in graph.edges)
    targets: dict[str, list[str]] = {}
    for edge in graph.edges:
        targets.setdefault(edge.source, []).append(edge.target)
    ready = [card.id for card in graph.nodes if not waiting[card.id]]
    for name in ready:
        for target in targets.get(name, ()):
            waiting[target] -= 1
            if not waiting[target]:
                ready.append(target)
    assert len(ready) == len(graph.nodes)
