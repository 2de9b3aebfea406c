"""Groups of a drawing as SVG: frames of open groups, and extra texts of folded ones."""

from __future__ import annotations

from gradviz.drawing.drawn import DrawnFrame, DrawnGraph
from gradviz.drawing.frame_face import FrameFace
from gradviz.drawing.placed import PlacedText, Rect
from gradviz.drawing.style import Measure
from gradviz.export.svg_marks import element, paint, text

_ROUND, _HIGH, _SIGN, _PAD = 10.0, 16.0, 9.0, 5.0


def depths(graph: DrawnGraph) -> dict[str, int]:
    """Nesting depth of each frame, by its id."""
    found = {"": -1}
    for frame in graph.frames:
        found[frame.id] = found[frame.parent] + 1
    return found


def frame(drawn: DrawnFrame, rect: Rect, depth: int) -> str:
    """Draw the background of an open group."""
    fill = paint("frame_inner" if depth % 2 else "frame_fill")
    size = {"x": rect.x, "y": rect.y, "width": rect.width, "height": rect.height, "rx": _ROUND}
    inside = element("rect", fill=fill, stroke=paint("frame_border"), **size)
    return element("g", inside, id=drawn.id, class_="frame")


def title(face: FrameFace, rect: Rect, depth: int) -> str:
    """Draw the title of a frame on a background that covers crossing edges."""
    if not face.texts:
        return ""
    # An export has no close button, so the title takes its place.
    left = face.sign.x - face.texts[0].x
    width = face.texts[-1].x + face.texts[-1].width + left
    ground = element(
        "rect",
        x=rect.x + face.sign.x - 3,
        y=rect.y + 4,
        width=width - face.sign.x + 6,
        height=face.height - 6,
        fill=paint("frame_inner" if depth % 2 else "frame_fill"),
    )
    ink = paint("frame_text")
    return ground + "".join(
        text(each.text, rect.x + each.x + left, rect.y + each.baseline, each.style, ink)
        for each in face.texts
    )


def tally(room: PlacedText, rect: Rect, content: str) -> str:
    """Draw how many nodes of a folded group are done."""
    place = (rect.x + room.x, rect.y + room.baseline)
    return text(content, *place, room.style, paint("folded_text"))


def trouble(word: str, rect: Rect, measure: Measure) -> str:
    """Draw the mark for something that went wrong in a box."""
    x, y = rect.x + 8, rect.y - _HIGH / 2
    width, height = measure(word, "mark")
    middle, half = y + _HIGH / 2, _SIGN / 2
    pill = element(
        "rect",
        x=x,
        y=y,
        width=width + _SIGN + 3 * _PAD,
        height=_HIGH,
        rx=_HIGH / 2,
        fill=paint("error_fill"),
        stroke=paint("error"),
    )
    left = x + _PAD
    points = f"{left + half},{middle - half} {left + _SIGN},{middle + half} {left},{middle + half}"
    sign = element("polygon", points=points, fill=paint("error"))
    place = (left + _SIGN + _PAD, middle + 0.3 * height)
    return pill + sign + text(word, *place, "mark", paint("error"))
