"""The page that the guide shows for a run."""

from __future__ import annotations

from collections.abc import Iterator

import pytest
from msgspec.structs import replace

from gradviz.gallery.guide.hidden_facts import hide_facts
from gradviz.gallery.guide.page import RunFact
from gradviz.gallery.guide.pages import page, page_names
from gradviz.gallery.guide.plain_text import text_lines
from gradviz.gallery.guide.traversal import formulas_on, spans_in
from gradviz.viewer.background import Background
from gradviz.viewer.guide.panel import GuidePanel
from gradviz.viewer.state import ViewerState
from tests.builders import LINEAR_TENSORS, linear_trace
from tests.viewer.traces import MemoryReader


@pytest.fixture
def panel(state: ViewerState) -> Iterator[GuidePanel]:
    background = Background()
    state.show(reader_of("scene:linear"))
    panel = GuidePanel(state, background)
    yield panel
    # First, since it delivers formulas to the panel.
    background.close()
    panel.deleteLater()


def reader_of(subject: str) -> MemoryReader:
    trace = linear_trace()
    origin = replace(trace.origin, subject=subject)
    return MemoryReader(replace(trace, origin=origin), LINEAR_TENSORS)


def test_quiz_mode_hides_the_values_of_the_run(panel: GuidePanel, state: ViewerState) -> None:
    everything = page("linear")
    assert panel.browser.page == everything
    state.set_quiz_mode()
    hidden = panel.browser.page
    spans = [span for block in hidden.blocks for span in spans_in(block)]
    assert not any(isinstance(span, RunFact) for span in spans)
    formulas = [formula.latex for formula, _ in formulas_on(hidden)]
    assert formulas.count("?") == 4
    assert "bmatrix" not in " ".join(formulas)
    assert panel.browser.accessibleDescription() == "\n".join(text_lines(hidden))
    # Those of other scenes say nothing about this run.
    panel.open("linear-wrong")
    assert panel.browser.page != hidden
    panel.open("linear")
    assert panel.browser.page == hidden
    state.go_to(len(state.index.trace.steps))
    assert panel.browser.page == everything
    # On its own page, other scenes have values of this run, such as the same loss.
    shown = text_lines(hide_facts(page("my-own-layer-torch"), "my-own-layer-torch"))
    assert not [line for line in shown if "0.824939" in line]


def test_the_page_of_another_scene_is_not_kept(panel: GuidePanel, state: ViewerState) -> None:
    assert panel.name == "linear"
    state.show(reader_of("file.py:Mine"))
    assert panel.name == page_names()[0]
    state.show(reader_of("scene:linear"))
    assert panel.name == "linear"
    # A page that the reader has chosen stays, whatever file runs.
    panel.open("check-it")
    state.show(reader_of("file.py:Mine"))
    assert panel.name == "check-it"
