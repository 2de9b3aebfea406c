"""Objects move from one picture to the next, and end where the next picture has them."""

from __future__ import annotations

import pytest

from gradviz.story.blocks import text_block
from gradviz.story.frame import Drawn, Frame, between


def drawn(key: str, x: float, source: str = "") -> Drawn:
    (made,) = text_block(key, 20, key=key, source=source).drawn
    return made.placed(x, 0)


def frame(*objects: Drawn) -> Frame:
    return Frame(width=100, height=50, drawn=objects)


BEFORE = frame(drawn("stays", 0), drawn("goes", 10))
AFTER = frame(drawn("stays", 40), drawn("comes", 20), drawn("drops", 30, source="stays"))


def at(share: float) -> dict[str, Drawn]:
    return {each.key: each for each in between(BEFORE, AFTER, share).drawn}


def test_the_way_begins_and_ends_in_the_pictures() -> None:
    assert between(BEFORE, AFTER, 1) is AFTER
    start = at(0)
    assert start["stays"].x == 0
    assert (start["goes"].opacity, start["comes"].opacity) == (1, 0)
    assert start["drops"].x == 0, "it comes out of its source"


@pytest.mark.parametrize("share", [0.25, 0.5, 0.75])
def test_on_the_way_every_object_is_between_its_places(share: float) -> None:
    now = at(share)
    assert now["stays"].x == pytest.approx(40 * share)
    assert now["drops"].x == pytest.approx(30 * share)
    assert now["comes"].x == 20, "what has no source appears where it is"
    assert now["goes"].opacity == max(0, 1 - 2 * share)
    assert set(now) == {"stays", "goes", "comes", "drops"}
