"""The drawing of the layers is that of the import table."""

from __future__ import annotations

import xml.etree.ElementTree as ElementTree

from tools.architecture import PATH, drawing


def test_the_drawing_is_fresh() -> None:
    kept = ElementTree.parse(PATH).find("{http://www.w3.org/2000/svg}desc")
    assert kept is not None
    assert kept.text == drawing(), "run `make architecture`"
