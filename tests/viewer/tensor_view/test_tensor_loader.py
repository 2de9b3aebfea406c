"""Large tensors load in the background; a panel gets a sample labeled as such."""

from __future__ import annotations

import threading
from collections.abc import Iterator

import numpy as np
import pytest
from msgspec.structs import replace
from pytestqt.qtbot import QtBot

from gradviz.model.item import tensor_item
from gradviz.model.step import AccumulateStep
from gradviz.model.tensor import TensorValue
from gradviz.store.errors import TraceError
from gradviz.viewer.background import Background
from gradviz.viewer.inspector.inspector import Inspector
from gradviz.viewer.state import ViewerState
from gradviz.viewer.tensor_view.small.tensor_view import TensorView
from gradviz.viewer.tensor_view.tensor_loader import TensorLoader, thinned
from gradviz.viewer.theme.theme import LIGHT
from gradviz.viewer.trace_values import MOST_AT_ONCE
from tests.builders import LINEAR_TENSORS, linear_trace, tensor
from tests.viewer.traces import MemoryReader
from tests.viewer.view_requests import requests_of

BIG = 40
VALUES = np.arange(600 * 500, dtype=np.float64).reshape(600, 500)


class SlowReader(MemoryReader):
    """Remembers the thread that requested elements, and may fail."""

    def __init__(self, *, fails: bool = False) -> None:
        record, value = tensor(BIG, VALUES)
        assert record.kept_bytes > MOST_AT_ONCE
        trace = linear_trace()
        step = trace.steps[6]
        assert isinstance(step, AccumulateStep)
        summed = replace(step, total=tensor_item("weight", BIG))
        pairs = (*LINEAR_TENSORS, (replace(record, statistics=None), value))
        steps = (*trace.steps[:6], summed, *trace.steps[7:])
        super().__init__(replace(trace, steps=steps), pairs)
        self.threads: list[threading.Thread] = []
        self._fails = fails

    def value(self, tensor_id: int) -> TensorValue | None:
        if tensor_id == BIG:
            self.threads.append(threading.current_thread())
            if self._fails:
                raise TraceError("The file is damaged: it ends too soon.")
        return super().value(tensor_id)


@pytest.fixture
def background() -> Iterator[Background]:
    made = Background()
    yield made
    made.close()


@pytest.fixture
def state(qtbot: QtBot) -> ViewerState:
    return ViewerState(LIGHT)


def test_small_tensors_are_there_at_once(state: ViewerState, background: Background) -> None:
    loader = TensorLoader(state, background)
    state.show(SlowReader())
    loaded = loader.get(2)
    assert loaded is not None
    assert loaded.value is not None
    assert loaded.thin is None
    assert loaded.record.statistics is not None
    assert loader.get(999) is None


def test_large_ones_are_never_read_in_the_window_s_thread(
    state: ViewerState, background: Background, qtbot: QtBot
) -> None:
    reader = SlowReader()
    loader = TensorLoader(state, background)
    state.show(reader)
    record = loader.record(BIG)
    assert record is not None
    assert record.statistics is None
    with qtbot.waitSignal(loader.loaded) as caught:
        assert loader.get(BIG) is None
        assert loader.get(BIG) is None
    assert caught.args == [BIG]
    assert len(reader.threads) == 1
    assert reader.threads[0] is not threading.main_thread()
    loaded = loader.get(BIG)
    assert loaded is not None
    assert loaded.record.statistics is not None
    assert loaded.record.statistics.maximum == VALUES.max()
    known = loader.record(BIG)
    assert known is not None
    assert known.statistics is not None


def test_the_inspector_shows_a_sample_of_it_and_says_so(
    state: ViewerState, background: Background, qtbot: QtBot
) -> None:
    reader = SlowReader()
    inspector = Inspector(state, requests_of(state), background=background)
    qtbot.addWidget(inspector)
    inspector.resize(340, 900)
    inspector.show()
    state.show(reader)
    state.go_to(7)
    total = next(section for section in inspector.sections if section.key == "total").rows[0]
    assert isinstance(total, TensorView)
    assert "Loading elements…" in total.texts
    qtbot.waitUntil(lambda: not background.busy)
    texts = [text.replace("\N{NO-BREAK SPACE}", " ") for text in total.texts]
    assert any("200×250 of them are shown: every 3rd row, every 2nd column" in t for t in texts)
    assert any(text.startswith("0 … 299999 · mean") for text in texts)
    assert all(thread is not threading.main_thread() for thread in reader.threads)


def test_what_cannot_be_read_is_reported_in_its_place(
    state: ViewerState, background: Background, qtbot: QtBot
) -> None:
    inspector = Inspector(state, requests_of(state), background=background)
    qtbot.addWidget(inspector)
    inspector.show()
    state.show(SlowReader(fails=True))
    state.go_to(7)
    qtbot.waitUntil(lambda: not background.busy)
    total = next(section for section in inspector.sections if section.key == "total").rows[0]
    assert isinstance(total, TensorView)
    assert "The file is damaged: it ends too soon." in total.texts


def test_what_belongs_to_another_trace_is_dropped(
    state: ViewerState, background: Background, qtbot: QtBot
) -> None:
    loader = TensorLoader(state, background)
    state.show(SlowReader())
    seen: list[object] = []
    loader.loaded.connect(seen.append)
    assert loader.get(BIG) is None
    state.show(SlowReader())
    qtbot.waitUntil(lambda: not background.busy)
    assert seen == []


@pytest.mark.parametrize("dtype", ["float64", "bfloat16", "float8_e5m2"])
def test_a_sample_keeps_the_bits_of_its_elements(dtype: str) -> None:
    size = {"float64": 8, "bfloat16": 2, "float8_e5m2": 1}[dtype]
    bits = np.arange(700 * 300, dtype=np.uint64).astype(f"<u{size}").reshape(700, 300)
    record = replace(
        tensor(1, np.zeros((700, 300)))[0], dtype=dtype, kept_steps=(2, 1), shape=(1400, 300)
    )
    value = TensorValue(dtype=dtype, shape=(700, 300), data=bits.tobytes())
    thin, sample = thinned(record, value)
    assert thin.kept_steps == (6, 2)
    assert sample.data == bits[::3, ::2].tobytes()
    assert thin.kept_shape == sample.shape
