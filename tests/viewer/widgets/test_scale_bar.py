"""The numbers at a color scale do not overlap."""

from __future__ import annotations

import itertools

import pytest
from pytestqt.qtbot import QtBot

from gradviz.viewer.theme.theme import LIGHT
from gradviz.viewer.widgets.scale_bar import ScaleBar
from tests.viewer.painted_texts import painted_texts


@pytest.mark.parametrize(("width", "count"), [(90, 1), (145, 2), (240, 3)])
def test_labels_do_not_overlap(qtbot: QtBot, width: int, count: int) -> None:
    bar = ScaleBar(LIGHT)
    qtbot.addWidget(bar)
    bar.set_limit(1.234e-05)
    bar.resize(width, bar.sizeHint().height())
    bar.show()
    texts = painted_texts(bar)
    assert len(texts) == count
    for first, second in itertools.combinations(texts, 2):
        assert not first.rect.intersects(second.rect), (first.text, second.text)
