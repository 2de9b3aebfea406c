"""A handwritten double backward run with a cut in the graph of its gradients."""

from __future__ import annotations

from msgspec.structs import replace

from gradviz.analysis.index.trace_index import TraceIndex, index_trace
from gradviz.model.finding import Finding
from gradviz.model.function_call import FunctionCall
from gradviz.model.graph import Edge, Node, NodeKind, SavedSlot
from gradviz.model.item import Item, tensor_item
from gradviz.model.step import (
    ForwardStep,
    NodeStep,
    PassBeginStep,
    PassedGradient,
    PassEndStep,
    Root,
    Step,
)
from gradviz.model.trace import Trace
from tests.builders import ORIGIN, tensor

MESSAGE = "A part of the gradient for x is cut off from its history."

X, Y, LOSS, DX, ONE, PART, FIRST, SECOND = range(1, 9)
CUBE, LEAF, MUL, TWICE, SUM = range(1, 6)

CUBE_TENSORS = tuple(
    [tensor(number, float(number), requires_grad=number != DX) for number in range(1, 9)]
)
"""What the trace refers to, with the elements."""


def cube_trace(*, whole: bool = False) -> Trace:
    """A short version of the scene ``cube-wrong``: ``Cube(x) * x``, differentiated twice.

    Args:
        whole: Whether the gradient of the cube has no history at all, and nobody goes on.
    """
    records = [record for record, _ in CUBE_TENSORS]
    if whole:
        records[PART - 1] = replace(records[PART - 1], requires_grad=False)
    nodes = [_node(CUBE, "CubeBackward", "custom"), _node(LEAF, "AccumulateGrad", "accumulate")]
    nodes.append(_node(MUL, "MulBackward0"))
    if not whole:
        nodes += [_node(TWICE, "MulBackward1", made=CUBE), _node(SUM, "AddBackward0", made=CUBE)]
    first = _first(whole=whole)
    trace = Trace(
        origin=ORIGIN,
        nodes=tuple(nodes),
        edges=_edges(whole=whole),
        saved=tuple(_slots(whole=whole)),
        calls=(_call(),),
        steps=first if whole else (*first, *_second()),
        tensors=tuple(records),
        findings=(_finding(),),
    )
    return trace


def cube_index(*, whole: bool = False) -> TraceIndex:
    return index_trace(cube_trace(whole=whole))


def _node(number: int, name: str, kind: NodeKind = "builtin", made: int | None = None) -> Node:
    return Node(
        id=number,
        name=name,
        kind=kind,
        sequence_nr=number,
        call=1 if number == CUBE else None,
        variable=X if number == LEAF else None,
        variable_name="x" if number == LEAF else "",
        made_by=made,
        module_call=None,
        made_in=None if made is None else 5,
    )


def _edges(*, whole: bool) -> tuple[Edge, ...]:
    pairs = [(CUBE, LEAF), (MUL, CUBE), (MUL, LEAF)]
    if not whole:
        pairs += [(TWICE, MUL), (SUM, TWICE), (SUM, MUL)]
    slots: dict[int, int] = {}
    edges = []
    for number, (source, target) in enumerate(pairs, 1):
        slots[source] = slots.get(source, -1) + 1
        edges.append(
            Edge(id=number, source=source, slot=slots[source], target=target, target_slot=0)
        )
    return tuple(edges)


def _slots(*, whole: bool) -> list[SavedSlot]:
    dx = tensor_item("dx", DX)
    kept = SavedSlot(id=1, node=CUBE, item=dx, role="intermediate", role_index=None)
    used = SavedSlot(
        id=2, node=TWICE, item=tensor_item("other", DX), role="attribute", role_index=None
    )
    return [kept] if whole else [kept, used]


def _call() -> FunctionCall:
    return FunctionCall(
        id=1,
        function="Cube",
        style="combined",
        node=CUBE,
        arguments=(tensor_item("x", X),),
        outputs=(tensor_item("output", Y),),
        attributes=(),
        needs_input_grad=(True,),
        dirty=(),
        non_differentiable=(),
        materialize_grads=True,
        once_differentiable=False,
        forward=None,
        setup_context=None,
        backward=None,
    )


def _finding() -> Finding:
    return Finding(
        id=1,
        code="second_order_cut_saved",
        severity="warning",
        message=MESSAGE,
        step=5,
        node=CUBE,
        argument=0,
    )


def _forward(number: int, node: int, inputs: tuple[int, ...], output: int) -> ForwardStep:
    return ForwardStep(
        number=number,
        finished=True,
        started_ns=number,
        duration_ns=1,
        pass_id=None,
        op="Cube" if node == CUBE else "mul",
        node=node,
        nodes=(node,),
        call=1 if node == CUBE else None,
        inputs=tuple([tensor_item(f"input {each}", each) for each in inputs]),
        outputs=(tensor_item("output", output),),
        location=None,
    )


def _begin(number: int, pass_id: int, node: int, value: int) -> PassBeginStep:
    root = Root(
        node=node,
        output_nr=0,
        value=tensor_item("output", value),
        gradient=tensor_item("gradient", ONE),
    )
    return PassBeginStep(
        number=number,
        started_ns=number,
        pass_id=pass_id,
        parent=None,
        roots=(root,),
        create_graph=pass_id == 1,
        keep_graph=pass_id == 1,
        accumulate=False,
        location=None,
    )


def _ran(
    number: int, pass_id: int, node: int, *flows: tuple[int, int], returned: tuple[Item, ...] = ()
) -> NodeStep:
    """A node that was executed; what it passed on, as edges and tensors."""
    return NodeStep(
        number=number,
        finished=True,
        started_ns=number,
        duration_ns=1,
        pass_id=pass_id,
        node=node,
        incoming=(tensor_item("grad_output", ONE),),
        received=(tensor_item("grad_output", ONE),) if returned else (),
        returned=returned,
        passed=tuple(
            [
                PassedGradient(
                    slot=slot,
                    argument=0 if returned else None,
                    edge=edge,
                    item=tensor_item("x", value),
                    change="unchanged",
                )
                for slot, (edge, value) in enumerate(flows)
            ]
        ),
        thread="",
    )


def _end(number: int, pass_id: int, value: int) -> PassEndStep:
    results = (tensor_item("x", value),)
    return PassEndStep(number=number, started_ns=number, pass_id=pass_id, results=results)


def _first(*, whole: bool) -> tuple[Step, ...]:
    return (
        _forward(1, CUBE, (X,), Y),
        _forward(2, MUL, (Y, X), LOSS),
        _begin(3, 1, MUL, LOSS),
        _ran(4, 1, MUL, (2, ONE), (3, ONE)),
        _ran(5, 1, CUBE, (1, PART), returned=(tensor_item("x", PART),)),
        _end(6, 1, PART if whole else FIRST),
    )


def _second() -> tuple[Step, ...]:
    return (
        _begin(7, 2, SUM, FIRST),
        _ran(8, 2, SUM, (5, ONE), (6, ONE)),
        _ran(9, 2, TWICE, (4, ONE)),
        _end(10, 2, SECOND),
    )
