"""The window's title: what is shown, and from which file."""

from __future__ import annotations

from pathlib import Path

from gradviz.analysis.index.trace_index import TraceIndex
from gradviz.catalogue.visible_text import visible_text
from gradviz.model.inputs import Offer
from gradviz.text.titles import origin_title
from gradviz.viewer.translation import translate

_MOST = 80
"""Maximum number of characters of each part; titles come from untrusted files."""


def window_title_of(index: TraceIndex | None, offer: Offer | None, trace: Path | None) -> str:
    """Return the title of a window.

    Args:
        index: The trace shown, if any.
        offer: What was run, if the trace was recorded here.
        trace: The trace's file.
    """
    if index is None:
        return "gradviz"
    title = _cut(origin_title(index.trace.origin))
    if index.trace.changes:
        title = translate("WindowTitle", "What If: {0}").format(title)
    if offer is None:
        file = "" if trace is None else _cut(trace.name)
    else:
        file = _cut(Path(offer.subject.path).name)
    if not file:
        return translate("WindowTitle", "{0} – gradviz").format(title)
    return translate("WindowTitle", "{0} – {1} – gradviz").format(title, file)


def _cut(text: str) -> str:
    return visible_text(" ".join(text.split())[:_MOST])
