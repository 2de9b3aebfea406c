"""Contact sheets: what the window showed after each action, with the action above it."""

from __future__ import annotations

from pathlib import Path

from PIL import Image, ImageDraw, ImageFont

from tools.drive.actions import SIGN_S, Shot

_COLUMNS, _ROWS = 4, 5
_WIDTH, _CAPTION, _GAP = 640, 26, 8


def write_sheets(shots: list[Shot], path: Path) -> list[Path]:
    """Write the sheets of a run; all but the first have a number in their name."""
    written = []
    for page, start in enumerate(range(0, len(shots), _COLUMNS * _ROWS), 1):
        name = path if page == 1 else path.with_stem(f"{path.stem}-{page}")
        _sheet(shots[start : start + _COLUMNS * _ROWS], start + 1).save(name)
        written.append(name)
    return written


def caption(shot: Shot) -> str:
    """The action and how long it took to show."""
    if shot.fault:
        return f"{shot.says}: {shot.fault}"
    if shot.waits:
        return shot.says
    if shot.waited_s is None:
        return f"{shot.says}: no change"
    return shot.says if shot.waited_s <= SIGN_S else f"{shot.says}: after {shot.waited_s:.1f} s"


def _sheet(shots: list[Shot], first: int) -> Image.Image:
    width, height = shots[0].picture.size
    cell = _WIDTH + _GAP, _CAPTION + round(_WIDTH * height / width) + _GAP
    rows = -(-len(shots) // _COLUMNS)
    sheet = Image.new("RGB", (_COLUMNS * cell[0] + _GAP, rows * cell[1] + _GAP), "#808080")
    draw = ImageDraw.Draw(sheet)
    font = ImageFont.load_default(16)
    for number, shot in enumerate(shots):
        x, y = _GAP + number % _COLUMNS * cell[0], _GAP + number // _COLUMNS * cell[1]
        draw.rectangle(
            (x, y, x + _WIDTH - 1, y + _CAPTION - 1), "#aa0000" if shot.fault else "black"
        )
        draw.text((x + 6, y + 3), f"{first + number}. {caption(shot)}", "white", font)
        small = shot.picture.convert("RGB").resize((_WIDTH, cell[1] - _CAPTION - _GAP))
        sheet.paste(small, (x, y + _CAPTION))
    return sheet
