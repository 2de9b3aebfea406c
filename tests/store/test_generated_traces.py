"""Generated traces survive a round trip through the file."""

import tempfile
from pathlib import Path

import numpy as np
from hypothesis import strategies as st
from msgspec.structs import replace

from gradviz.model.console import ConsoleText
from gradviz.model.finding import Finding
from gradviz.model.graph import Edge, ModuleCall, Node, SavedSlot
from gradviz.model.item import Item
from gradviz.model.source import Location, SourceFile
from gradviz.model.step import ErrorStep, ForwardStep, NodeStep, PassBeginStep, PassedGradient
from gradviz.model.tensor import TensorRecord, TensorValue
from gradviz.model.trace import Trace
from gradviz.model.validation.trace_rules import validate
from gradviz.store.reader import open_trace
from tests.builders import ORIGIN, tensor, write_trace
from tests.sweeps import generated

text = st.text(max_size=20) | st.sampled_from(["\ud800", "\x00", '<img src=x>"];\x1b[31m'])
count = st.integers(0, 2**62)
arrays = st.one_of(
    st.floats(allow_nan=True, allow_infinity=True),
    st.lists(st.floats(width=64), max_size=5),
    st.lists(st.booleans(), max_size=3),
    st.lists(st.integers(-(2**63), 2**63 - 1), max_size=3).map(lambda v: np.array(v, "<i8")),
)
places = st.builds(Location, source=st.none(), line=st.integers(0, 2**31 - 1))
Kept = tuple[TensorRecord, TensorValue]


def items(tensors: int) -> st.SearchStrategy[Item]:
    kinds = [
        st.builds(Item, name=text, kind=st.just("none")),
        st.builds(Item, name=text, kind=st.just("object"), text=text),
    ]
    if tensors:
        numbers = st.integers(1, tensors)
        kinds.append(st.builds(Item, name=text, kind=st.just("tensor"), tensor=numbers))
    return st.one_of(kinds)


def passed_on(
    node: int, edges: tuple[Edge, ...], item: st.SearchStrategy[Item]
) -> st.SearchStrategy[PassedGradient]:
    leaving = [edge.id for edge in edges if edge.source == node]
    return st.builds(
        PassedGradient,
        slot=count,
        argument=st.none() | count,
        edge=st.sampled_from([None, *leaving]),
        item=item,
    )


@st.composite
def module_calls(draw: st.DrawFn) -> tuple[ModuleCall, ...]:
    return tuple(
        ModuleCall(
            id=number,
            path=draw(text),
            class_name=draw(text),
            parent=draw(st.sampled_from([None, *range(1, number)])),
        )
        for number in range(1, draw(st.integers(1, 4)))
    )


@st.composite
def traces(draw: st.DrawFn) -> tuple[Trace, tuple[Kept, ...]]:
    kept = tuple(tensor(number, draw(arrays)) for number in range(1, draw(st.integers(0, 4)) + 1))
    nodes = range(1, draw(st.integers(1, 5)) + 1)
    node, item = st.sampled_from(nodes), items(len(kept))
    edges = tuple(
        draw(
            st.builds(
                Edge, id=st.just(each), source=node, target=node, slot=count, target_slot=count
            )
        )
        for each in range(1, draw(st.integers(0, 6)) + 1)
    )
    modules = draw(module_calls())
    module = st.sampled_from([None, *(each.id for each in modules)])
    many = st.lists(item, max_size=3).map(tuple)
    first = PassBeginStep(
        number=1,
        started_ns=draw(count),
        pass_id=1,
        parent=None,
        roots=(),
        create_graph=draw(st.booleans()),
        keep_graph=draw(st.booleans()),
        accumulate=draw(st.booleans()),
        location=None,
    )
    common = {"pass_id": st.just(1), "started_ns": count}
    timed = {**common, "duration_ns": count}
    executed = node.flatmap(
        lambda each: st.builds(
            NodeStep,
            incoming=many,
            received=many,
            returned=many,
            thread=text,
            passed=st.lists(passed_on(each, edges, item), max_size=3).map(tuple),
            node=st.just(each),
            **timed,
        )
    )
    step = st.one_of(
        executed,
        st.builds(
            ForwardStep, call=st.none(), nodes=st.lists(node, max_size=2).map(tuple),
            node=node, inputs=many, outputs=many, location=st.none() | places, **timed,
        ),
        st.builds(ErrorStep, call=st.none(), node=node, message=text,
                  location=st.none() | places, traceback=st.lists(places).map(tuple), **common),
    )  # fmt: skip
    numbers = range(2, draw(st.integers(1, 6)) + 1)
    steps = tuple(_numbered(draw(step), number) for number in numbers)
    trace = Trace(
        origin=ORIGIN,
        nodes=tuple(
            draw(st.builds(Node, id=st.just(each), name=text, call=st.none(), variable=st.none(),
                           sequence_nr=st.none() | count,
                           made_by=st.none() | node, module_call=module))
            for each in nodes
        ),
        edges=edges,
        saved=tuple(
            draw(st.builds(SavedSlot, id=st.just(each), node=node, item=item,
                           role_index=st.none() | count))
            for each in range(1, draw(st.integers(0, 3)) + 1)
        ),
        modules=modules,
        steps=(first, *steps),
        tensors=tuple(record for record, _ in kept),
        sources=(draw(st.builds(SourceFile, id=st.just(1), path=text, text=text)),),
        console=(draw(st.builds(ConsoleText, id=st.just(7), step=st.just(1), text=text)),),
        findings=(draw(st.builds(Finding, id=st.just(1), code=text, message=text, step=st.none(),
                                 node=st.none(), location=st.none() | places)),),
    )  # fmt: skip
    return trace, kept


def _numbered(step: NodeStep | ForwardStep | ErrorStep, number: int) -> object:
    return replace(step, number=number)


@generated(traces(), few=20, many=60)
def test_generated_trace_comes_back_equal(made: tuple[Trace, tuple[Kept, ...]]) -> None:
    trace, kept = made
    assert validate(trace) == []
    with tempfile.TemporaryDirectory() as folder:
        path = write_trace(Path(folder) / "t.gradviz", trace, kept)
        with open_trace(path) as reader:
            assert reader.trace() == trace
            for record, value in kept:
                assert reader.value(record.id) == value
