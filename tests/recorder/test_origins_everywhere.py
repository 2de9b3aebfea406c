"""Origins and histories of every tensor of programs that nobody wrote for them."""

from __future__ import annotations

import warnings
from pathlib import Path

import pytest

from gradviz.model.birth_words import headline, stops
from gradviz.model.birthplace import Spotted, Tracer
from gradviz.model.index import Index, index_of
from gradviz.model.makings import Makings
from gradviz.model.places import Place
from gradviz.model.trouble import Trouble, TroubleKind
from gradviz.model.version_words import version_sentence
from gradviz.model.versions import history_of
from gradviz.store.reader import open_trace
from tests.recorder.more_programs import ALL_PROGRAMS
from tests.recorder.taping import tape

NAMES = (
    *("views", "dirty", "hooks", "reduced_and_cast", "complex_and_scalars", "empty_and_strided"),
    *("sparse_gradient", "numpy_inside", "data_written_behind", "large_tensors", "many_dtypes"),
    *("retained_graph_and_leaf_twice", "batched_gradients", "subclass", "checkpoints"),
)


@pytest.fixture(params=NAMES)
def index(request: pytest.FixtureRequest, tmp_path: Path) -> Index:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        tape(tmp_path, ALL_PROGRAMS[request.param], level="lines", strict=False)
    with open_trace(tmp_path / "run.gradviz") as reader:
        trace = reader.trace()
        values = {each.id: reader.value(each.id) for each in trace.tensors}
        return index_of(trace, values.get)


def test_each_element_on_the_way_is_in_the_same_trouble(index: Index) -> None:
    tracer = Tracer(index)
    last = Place(step=len(index.trace.steps))
    kinds: tuple[TroubleKind, ...] = ("zero", "large")
    for record in index.trace.tensors:
        for kind in kinds:
            trouble = Trouble(kind=kind, limit=1.0)
            seen = Spotted(place=last, name="it", tensor=record.id, spot=None)
            births = tracer.births(trouble, seen)
            assert bool(births) == bool(tracer.anywhere(trouble, record.id))
            for birth in births:
                assert birth.path[-1].tensor == record.id
                for each in birth.path:
                    array = tracer.array(each.tensor)
                    known = array is not None and each.spot is not None
                    assert not known or trouble.has(array[each.spot])  # type: ignore[index]
                assert headline(index, tracer, birth)
                assert stops(index, birth)


def test_each_tensor_is_a_version_of_its_memory(index: Index) -> None:
    makings = Makings(index)
    for record in index.trace.tensors:
        history = history_of(index, record.id, makings)
        assert (history is None) == (record.storage is None)
        if history is None:
            continue
        assert history.of(record.id) is not None
        numbers = [number for version in history.versions for number in version.tensors]
        assert sorted(numbers) == makings.sharing(history.storage)
        assert all(version_sentence(index, version) for version in history.versions)
