"""Quiz mode hides the answer everywhere: in texts, tooltips and announcements."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator

import numpy as np
import pytest
from msgspec.structs import replace
from PySide6.QtWidgets import QApplication, QWidget

from gradviz.analysis.breakpoints.breakpoint import WhenNorm, WhenNotFinite, WhenPrinted
from gradviz.analysis.index.step_queries import step_at
from gradviz.analysis.index.trace_index import TraceIndex
from gradviz.analysis.quiz_answers import has_quiz_answer, quiz_answer_tensors
from gradviz.analysis.search.hits import SearchHit
from gradviz.catalogue.numbers import number_text
from gradviz.gallery.registry import SCENES, Scene, offer_of
from gradviz.model.console import ConsoleText
from gradviz.model.finding import Finding
from gradviz.model.graph import Node
from gradviz.model.item import tensor_item
from gradviz.model.step import AccumulateStep, NodeStep, Root
from gradviz.text.phrases import shape_text
from gradviz.viewer.breakpoints.breakpoint_list import BreakpointList
from gradviz.viewer.canvas.graph_panel import GraphPanel
from gradviz.viewer.canvas.interaction.hover_controller import card_facts_of
from gradviz.viewer.find.controller import FindController
from gradviz.viewer.session.check_controller import CheckController
from gradviz.viewer.session.run_controller import RunController
from gradviz.viewer.timeline.panel import TimelinePanel, hover_text
from gradviz.viewer.window.panel_registry import panel_specs
from gradviz.viewer.window.top_bar import TABS
from tests.builders import LINEAR_TENSORS, linear_trace, tensor
from tests.gui.conftest import WindowDriver
from tests.sweeps import representative_scenes
from tests.viewer.traces import MemoryReader, linear_reader, wrong_reader
from tests.viewer.widget_texts import texts_of

SECRET = np.full((7, 11), 8642.5)
SECRETS = ("8642", "8643", "8.64", "7×11", "7x11", "(7, 11)", "[7, 11]", "all 8", "NaN", "secret")


def secret_reader() -> MemoryReader:
    """The scene `linear`, whose weight gets an unmistakable gradient."""
    values = SECRET.copy()
    values[3, 4] = np.nan
    pairs = (*(pair for pair in LINEAR_TENSORS if pair[0].id != 8), tensor(8, values))
    trace = linear_trace()
    texts = ConsoleText(
        id=3, step=5, stream="stdout", activity="run", text="the secret is 8642.5, 7x11\n"
    )
    after = replace(texts, id=4, step=None, text="and still 8642.5\n")
    finding = Finding(
        id=1,
        code="silent_reduction",
        severity="warning",
        message="The secret of 7x11 was summed.",
        step=5,
        node=1,
    )
    again = Node(
        id=5,
        name="SumBackward0",
        kind="builtin",
        sequence_nr=9,
        call=None,
        variable=None,
        variable_name="",
        made_by=1,
        module_call=None,
    )
    # The gradient is summed and differentiated again: a card of the graph shows it.
    total = replace(trace.steps[1], number=9, node=5, nodes=(5,), pass_id=None)
    begin = replace(
        trace.steps[2],
        number=10,
        pass_id=2,
        roots=(
            Root(
                node=5, output_nr=0, value=tensor_item("squared", 8), gradient=tensor_item("g", 5)
            ),
        ),
    )
    end = replace(trace.steps[7], number=11, pass_id=2)
    trace = replace(
        trace,
        nodes=(*trace.nodes, again),
        steps=(*trace.steps, total, begin, end),
        console=(*trace.console, texts, after),
        findings=(finding,),
    )
    return MemoryReader(trace, pairs)


def other_reader() -> MemoryReader:
    """The same run with another secret: no output, finding or NaN, and another shape."""
    reader = secret_reader()
    grads = (tensor(7, np.full((3, 9), -31.25)), tensor(8, np.full((5, 13), 0.125)))
    pairs = (*(pair for pair in LINEAR_TENSORS if pair[0].id not in (7, 8)), *grads)
    return MemoryReader(replace(reader.trace(), console=linear_trace().console, findings=()), pairs)


def looks_of_panels(driver: WindowDriver) -> Iterator[tuple[str, object]]:
    """The texts and the pixels of the timeline and of every panel, each brought to the front."""
    panels: dict[str, QWidget] = {"timeline": driver.window.parts[TimelinePanel]}
    panels |= {spec.name: driver.window.docks[spec.name] for spec in panel_specs()}
    for name, panel in panels.items():
        panel.show()
        panel.raise_()
        driver.wait()
        # A scroll bar comes or goes only with a pending layout request.
        QApplication.processEvents()
        assert panel.isVisible(), name
        yield f"texts of {name}", sorted(texts_of(panel))
        yield f"pixels of {name}", panel.grab().toImage()


def differing(one: dict[str, object], other: dict[str, object]) -> set[str]:
    return {what for what in one if one[what] != other[what]}


def test_nothing_shown_depends_on_what_is_hidden(driver: WindowDriver) -> None:
    # Two runs that differ in hidden results alone must look the same in every panel.
    # Else the timeline's status would say meanwhile that PyTorch has been imported.
    driver.qtbot.waitUntil(lambda: driver.session.ready is not None)
    driver.state.show(secret_reader())
    points = driver.window.parts[BreakpointList]
    points.add(WhenNotFinite(kind="nan"))
    points.add(WhenPrinted())
    # Panels settle their sizes when they are first shown.
    show_all_panels(driver)
    dict(looks_of_panels(driver))
    looks: list[dict[str, object]] = []
    revealed: list[dict[str, object]] = []
    for reader in (secret_reader(), other_reader()):
        driver.state.show(reader)
        driver.wait()
        search(driver, "has:nan")
        driver.controller.requests.find_origin(None)
        driver.state.go_to(4)
        driver.state.set_quiz_mode()
        driver.state.go_to(5)
        driver.state.select(1)
        looks.append(dict(looks_of_panels(driver)))
        assert driver.state.revealed.hidden_step == 5
        driver.state.set_quiz_mode(False)
        revealed.append(dict(looks_of_panels(driver)))
    assert differing(*looks) == set()
    # The comparison sees the secret once it is revealed.
    names = {"timeline", "inspector", "doctor", "console", "outline", "story", "breakpoints"}
    assert {f"texts of {name}" for name in names} <= differing(*revealed)
    driver.state.show(None)


def all_texts(driver: WindowDriver) -> list[str]:
    """All visible, announced and tooltip texts."""
    state, index = driver.state, driver.state.index
    assert index is not None
    texts: list[str] = []
    for window in QApplication.topLevelWidgets():
        if window.isVisible():
            texts += texts_of(window)
    marks = driver.window.parts[TimelinePanel].alerts.marks
    texts += [hover_text(state, number, marks) for number in range(1, state.count + 1)]
    scene = driver.window.parts[GraphPanel].scene
    assert scene is not None
    for at, drawn in enumerate(scene.picture.nodes):
        if at in scene.nodes.hidden_cards:
            continue
        facts = card_facts_of(state.revealed, drawn, state.number)
        texts += [facts.text, facts.problem]
    return texts


def leaks(texts: list[str], secrets: tuple[str, ...]) -> list[str]:
    return sorted({text for text in texts for secret in secrets if secret in text})


def texts_of_any_run(driver: WindowDriver) -> Counter[str]:
    """Texts of the panels for a run without a secret, like the choice to stop at a NaN."""
    driver.state.set_quiz_mode(False)
    driver.state.show(linear_reader())
    driver.wait()
    texts = Counter(all_texts(driver))
    driver.state.show(secret_reader())
    driver.wait()
    driver.state.go_to(4)
    driver.state.set_quiz_mode()
    return texts


def show_all_panels(driver: WindowDriver) -> None:
    for dock in driver.window.docks.all():
        dock.show()
        dock.raise_()
    QApplication.processEvents()


@pytest.fixture
def guessed(driver: WindowDriver) -> Iterator[WindowDriver]:
    driver.state.show(secret_reader())
    driver.wait()
    driver.state.go_to(4)
    driver.state.set_quiz_mode()
    yield driver
    driver.state.set_quiz_mode(False)
    driver.state.show(None)


@pytest.mark.quick
@pytest.mark.parametrize("presenting", [False, True])
def test_the_answer_is_shown_nowhere(guessed: WindowDriver, presenting: bool) -> None:
    driver, anyway = guessed, Counter[str]()
    if presenting:
        driver.window.commands.quiz_mode.setChecked(True)
        driver.controller.presenter.enter(full_screen=False)
    else:
        show_all_panels(driver)
        anyway = texts_of_any_run(driver)
    # Where these are met would tell, too.
    driver.window.parts[BreakpointList].add(WhenNorm(above=8000.0))
    driver.window.parts[BreakpointList].add(WhenPrinted())
    for number in (4, 5):
        driver.state.go_to(number)
        driver.wait()
        for node in (None, 1, 2, 4):
            driver.state.select(node)
            QApplication.processEvents()
            texts = Counter(all_texts(driver)) - anyway
            assert leaks(list(texts), SECRETS) == []
        assert not driver.window.parts[TimelinePanel].bar.has_breakpoint(5)
    driver.window.parts[BreakpointList].run_to_next_breakpoint()
    assert driver.state.number == 5
    assert driver.state.revealed.hides_answer
    driver.state.select(None)
    driver.state.next_step()
    QApplication.processEvents()
    shown = " ".join(all_texts(driver))
    assert "7×11" in shown
    driver.controller.presenter.leave()


def search(driver: WindowDriver, text: str) -> list[SearchHit]:
    finder = driver.window.parts[FindController].finder
    finder.search(text)
    driver.qtbot.waitUntil(lambda: not finder.busy)
    return list(finder.answer.hits)


def test_searching_does_not_find_what_is_hidden(guessed: WindowDriver) -> None:
    driver, texts = guessed, ("has:nan", "shape:7x11", "secret")
    driver.state.go_to(5)
    for text in texts:
        assert search(driver, text) == []
        assert driver.state.hits == frozenset()
        assert search(driver, "LinearFunction") != []
    driver.state.set_quiz_mode(False)
    assert all(search(driver, text) != [] for text in texts)


@pytest.mark.quick
def test_the_jacobians_are_hidden_too(driver: WindowDriver) -> None:
    driver.state.show(wrong_reader())
    driver.wait()
    driver.state.set_quiz_mode()
    driver.state.go_to(5)
    driver.window.top.show_tab(TABS[1])
    QApplication.processEvents()
    panel = driver.window.parts[CheckController].panel()
    assert panel.maps.hint == "Hidden until the gradient of this step is revealed."
    assert not panel.findings.verdict.isVisible()
    driver.state.next_step()
    assert panel.findings.verdict.isVisible()
    driver.window.top.show_tab(TABS[0])
    driver.state.show(None)


def numbers_of(index: TraceIndex, driver: WindowDriver, tensors: frozenset[int]) -> set[str]:
    found: set[str] = set()
    for number in tensors:
        value = driver.state.reader.value(number)  # type: ignore[union-attr]
        if value is not None:
            found |= {number_text(each) for each in np.abs(value.array()).reshape(-1).tolist()}
    return found


REPRESENTATIVE = [scene for scene in SCENES if scene.id in representative_scenes()]
OTHERS = [scene for scene in SCENES if scene not in REPRESENTATIVE[::3]]


@pytest.mark.parametrize(
    "scenes",
    [
        pytest.param(REPRESENTATIVE[::3], id="representative"),
        *(pytest.param(OTHERS[at::5], id=f"others {at}") for at in range(5)),
    ],
)
def test_no_scene_reveals_a_number_or_shape_of_its_answer(
    driver: WindowDriver, scenes: list[Scene]
) -> None:
    show_all_panels(driver)
    for scene in scenes:
        driver.window.parts[RunController].run_offer(offer_of(scene))
        driver.qtbot.waitUntil(lambda: driver.session.activity == "running")
        driver.wait()
        driver.state.first_step()  # A run that fails is shown at its end.
        driver.state.set_quiz_mode()
        check_hidden(driver, scene.id)
        driver.state.set_quiz_mode(False)


def check_hidden(driver: WindowDriver, name: str) -> None:
    index = driver.state.index
    assert index is not None
    asked = 0
    has_backward = any(isinstance(each, NodeStep) for each in index.trace.steps)
    for number in range(1, driver.state.count + 1):
        driver.state.go_to(number)
        step = step_at(index, number)
        if not isinstance(step, NodeStep) or not has_quiz_answer(step):
            continue
        asked += 1
        hidden = quiz_answer_tensors(index, step)
        assert driver.state.revealed.hides_answer
        known = frozenset(record.id for record in index.trace.tensors) - hidden
        given = frozenset(item.tensor for item in step.incoming if item.tensor is not None)
        earlier = (known - answers_after(index, number)) | given
        secret = numbers_of(index, driver, hidden) - numbers_of(index, driver, earlier)
        shapes = {shape_text(index.tensor[each].shape) for each in hidden}
        shapes -= {shape_text(index.tensor[each].shape) for each in earlier} | {"scalar"}
        # Numbers of one or two digits stand everywhere: a time, a count, a version.
        telling = {text for text in secret if len(text.replace(".", "")) > 2} | shapes
        # Scenes about NaN have it in their names.
        words = [rf"\b{text}\b" if text.isalpha() else re.escape(text) for text in telling]
        pattern = re.compile(rf"(?<![\d.])(?:{'|'.join(words)})(?!\d)")
        texts = all_texts(driver)
        assert not telling or not [text for text in texts if pattern.search(text)], name
        driver.state.set_answer_hidden(False)
    assert asked >= 1 or not has_backward, name


def answers_after(index: TraceIndex, number: int) -> frozenset[int]:
    """Tensors that exist only after a step."""
    found: set[int] = set()
    for step in index.trace.steps[number:]:
        found |= quiz_answer_tensors(index, step)
        if isinstance(step, AccumulateStep):
            items = (step.contribution, step.total)
            found |= {item.tensor for item in items if item.tensor is not None}
        if isinstance(step, NodeStep):
            found |= {item.tensor for item in step.incoming if item.tensor is not None}
    return frozenset(found)
