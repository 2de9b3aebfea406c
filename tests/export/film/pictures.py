"""Pictures of steps, and the frames that a film of them has."""

from __future__ import annotations

from pathlib import Path

import pytest

Image = pytest.importorskip("PIL.Image", reason="needs the packages of the film extra")
SIZE = (64, 36)
CAPTION = 12
COLORS = ("#102030", "#e04010", "#10c060")


def pictures(folder: Path) -> list[Path]:
    """Files with a caption and a part that stays the same, in three colors."""
    paths = []
    for at, color in enumerate(COLORS):
        image = Image.new("RGB", SIZE, "white")
        image.paste(color, (4, 4, 40, 8))
        image.paste(color, (10, 16, 30, 30))
        image.paste("#808080", (40, 16, 50, 30))
        paths.append(folder / f"{at}.png")
        image.save(paths[-1])
    return paths
