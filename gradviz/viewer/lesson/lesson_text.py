"""Texts about stops and times of a lesson."""

from __future__ import annotations

from gradviz.gallery.registry import SCENES
from gradviz.lesson.facts import shown_text
from gradviz.lesson.lesson import LessonStop
from gradviz.viewer.translation import translate


def stop_title(stop: LessonStop) -> str:
    """Return a stop's headline, or else the title of its scene or the name of its trace."""
    titles = {each.id: each.display_title for each in SCENES}
    return shown_text(stop.headline or titles.get(stop.scene, stop.scene or stop.trace))


def duration_text(ms: int) -> str:
    """Format a duration as minutes and seconds, such as ``4:05``."""
    return f"{ms // 60_000}:{ms // 1000 % 60:02}"


def minutes_text(minutes: float) -> str:
    """Format a planned time, such as ``2.5 min``; empty for none."""
    return translate("Lesson", "{0} min").format(f"{minutes:g}") if minutes else ""
