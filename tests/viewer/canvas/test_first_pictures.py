"""The first picture of a large model: all of it, readable, with the current step."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest
import torch

from gradviz.drawing.appearance.text_styles import FONTS
from gradviz.gallery.registry import SCENES, scene
from gradviz.store.reader import TraceReader, open_trace
from gradviz.viewer.canvas.layout.graph_space import OVERVIEW_PIXELS
from tests.drawing.public_models import TRAININGS
from tests.recorder.recorded_run import record_run
from tests.recorder.scene_runs import run_scene
from tests.viewer.canvas.conftest import GraphDriver

NAMES = {
    "gpt2": {"model", "transformer.h.0–11", "lm_head"},
    "resnet50": {"model", "layer1", "layer2", "layer3", "layer4", "fc"},
    "lstm": {"model", "cell", "head"},
    "encoder": {"model", "encoder", "head"},
    "unet": {"model", "inc", "down1", "down4", "up1", "up4", "outc"},
    "vit": {"model", "conv_proj", "encoder", "heads"},
    "vgg16": {"model", "features", "classifier"},
    "dcgan": {"net_d"},
    "mixer": {"model", "blocks", "head"},
    "seq2seq": {"model", "encoder_embedding", "encoder"},
}
"""What an author looks for."""

SIZES = {"1280": (674, 642), "1280 below curves": (674, 440), "1920": (1190, 922)}
"""Sizes of the panel in a window of a width; in the Training tab, curves take a part of it."""


QUICK = ("dcgan", "gpt2", "lstm", "resnet50", "unet")
"""One of each kind; the others are like one of these."""


@pytest.fixture(
    scope="module",
    params=[
        each if each in QUICK else pytest.param(each, marks=pytest.mark.sweep)
        for each in sorted(TRAININGS)
    ],
)
def training(
    request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory
) -> tuple[str, Path]:
    folder = tmp_path_factory.mktemp(request.param)
    torch.manual_seed(0)
    record_run(folder, TRAININGS[request.param](False))
    return request.param, folder / "run.gradviz"


@pytest.fixture
def reader(training: tuple[str, Path]) -> Iterator[TraceReader]:
    with open_trace(training[1]) as reader:
        yield reader


def least_pixels(driver: GraphDriver) -> float:
    """Height of the smallest text on the screen, without elements of tensors."""
    return driver.panel.view.scale_factor * min(font.size for font in FONTS.values())


def shows_now(driver: GraphDriver) -> bool:
    view = driver.panel.view
    space = view.uncovered_rect.toRectF()
    now = driver.scene.cards_now
    return bool(now) and all(space.contains(view.card_rect(card)) for card in now)


@pytest.mark.parametrize("size", SIZES)
def test_all_of_a_model_can_be_read(
    training: tuple[str, Path], reader: TraceReader, driver: GraphDriver, size: str
) -> None:
    driver.panel.resize(*SIZES[size])
    driver.wait()
    driver.state.show(reader)
    driver.wait()
    view, picture = driver.panel.view, driver.scene.picture
    assert view.is_fitted
    assert least_pixels(driver) >= OVERVIEW_PIXELS
    assert shows_now(driver)
    shown = {frame.drawn.title for frame in picture.frames} | {node.title for node in picture.nodes}
    assert NAMES[training[0]] <= shown
    # The widest or the highest extent fills the space, unless the text is as large as it gets.
    drawn = view.mapFromScene(driver.scene.graph_rect()).boundingRect()
    space = view.uncovered_rect
    filled = max(drawn.width() / space.width(), drawn.height() / space.height())
    assert filled > 0.95 or view.scale_factor > 1.35


def test_steps_do_not_move_the_picture_and_stay_in_view(
    reader: TraceReader, driver: GraphDriver
) -> None:
    driver.panel.resize(*SIZES["1280"])
    driver.state.show(reader)
    driver.wait()
    view, boxes = driver.panel.view, driver.scene.picture.boxes
    before = view.transform(), view.mapToScene(0, 0)
    for number in range(1, driver.state.count + 1, max(1, driver.state.count // 40)):
        driver.state.go_to(number)
        assert driver.scene.picture.boxes is boxes
        assert (view.transform(), view.mapToScene(0, 0)) == before
        assert shows_now(driver) or not driver.scene.cards_now


def test_a_small_model_keeps_its_modules(driver: GraphDriver, tmp_path: Path) -> None:
    body = torch.nn.Sequential(torch.nn.Linear(4, 4), torch.nn.ReLU(), torch.nn.Linear(4, 4))
    model = torch.nn.Sequential(body, torch.nn.ReLU(), torch.nn.Linear(4, 2))
    record_run(tmp_path, lambda: model(torch.ones(3, 4)).log_softmax(1).sum().backward())
    with open_trace(tmp_path / "run.gradviz") as reader:
        driver.state.show(reader)
        for width, height in SIZES.values():
            driver.panel.resize(width, height)
            driver.wait()
            titles = {frame.drawn.title for frame in driver.scene.picture.frames}
            assert {"model", "0"} <= titles, (width, titles)
        driver.state.show(None)


@pytest.fixture(params=[each.id for each in SCENES])
def scene_reader(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[TraceReader]:
    record_run(tmp_path, lambda: run_scene(scene(request.param)))
    with open_trace(tmp_path / "run.gradviz") as reader:
        yield reader


@pytest.mark.sweep
def test_a_scene_begins_at_a_readable_size_with_its_step(
    scene_reader: TraceReader, driver: GraphDriver
) -> None:
    driver.panel.resize(*SIZES["1280"])
    driver.state.show(scene_reader)
    driver.wait()
    if driver.panel.scene is None:
        assert not driver.panel.view.isVisible()
        return
    assert driver.panel.view.is_readable
    assert shows_now(driver) or not driver.scene.cards_now
