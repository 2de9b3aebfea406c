"""Where the current position is: pass, step, stage, line and op, with a link to each."""

from __future__ import annotations

from collections.abc import Iterator
from functools import partial

from PySide6.QtGui import QAction
from PySide6.QtWidgets import QWidget

from gradviz.analysis.index.step_queries import step_at
from gradviz.analysis.index.trace_index import TraceIndex
from gradviz.analysis.position.trace_position import TracePosition
from gradviz.catalogue.language import format_count
from gradviz.document.facts.step_facts import title_of
from gradviz.document.location_text import crumbs
from gradviz.viewer.actions import tip_of
from gradviz.viewer.state import ViewerState
from gradviz.viewer.theme.theme import UI_PIXELS, Theme
from gradviz.viewer.widgets.crumb_row import Crumb, CrumbRow


class PositionCrumbs(CrumbRow):
    """A link for each level down to the current one; the next deeper level follows in gray.

    Args:
        state: The state of the window.
        into: The command that steps into the next deeper level.
        theme: Colors and fonts.
        parent: The parent widget.
    """

    def __init__(
        self, state: ViewerState, into: QAction, theme: Theme, parent: QWidget | None = None
    ) -> None:
        super().__init__(theme, UI_PIXELS, parent)
        self._state = state
        self._into = into
        self.setAccessibleName(self.tr("Position"))
        state.place_changed.connect(self._on_state_place_changed)
        self._on_state_place_changed(state.place)

    def _on_state_place_changed(self, place: TracePosition | None) -> None:
        index = self._state.index
        if index is None or place is None:
            self.show_crumbs(())
            return
        path = list(self._path(index, place))
        here = path[-1]
        found = [*path[:-1], Crumb(here.text, here.tip, here.go, "here")]
        inner = self._state.inner_target
        if inner is not None:
            levels = {
                "node": self.tr("steps"),
                "stage": self.tr("stages"),
                "line": self.tr("lines"),
                "op": self.tr("ops"),
            }
            tip = tip_of(self._into, self.tr("Step into this step"))
            found.append(Crumb(levels[inner[1]], tip, self._into.trigger, "next"))
        self.show_crumbs(found)

    def _path(self, index: TraceIndex, place: TracePosition) -> Iterator[Crumb]:
        tip = self.tr("Step from pass to pass")
        yield Crumb(self._phase(index, place), tip, partial(self._state.set_level, "pass"))
        if self._state.level == "pass":
            return
        for crumb in crumbs(index, place):
            level = crumb.place.level
            text, step = crumb.text, step_at(index, crumb.place.step)
            if level == "node" and step is not None:
                text = title_of(index, step)
            tip = self.tr("Go to {0} and step at this level").format(text)
            yield Crumb(text, tip, partial(self._state.go_to_place, crumb.place, level))

    def _phase(self, index: TraceIndex, place: TracePosition) -> str:
        """Name a phase, with its number among those of its kind if there are several."""
        now = next(each for each in index.phases if each.first <= place.step <= each.last)
        kinds = {
            "forward": self.tr("forward"),
            "backward": self.tr("backward"),
            "update": self.tr("optimizer"),
        }
        alike = [each for each in index.phases if each.kind == now.kind]
        if len(alike) == 1:
            return kinds[now.kind]
        return self.tr("{0} {1}").format(kinds[now.kind], format_count(alike.index(now) + 1))
