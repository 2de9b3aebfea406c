"""The legend in the corner of the graph view."""

from __future__ import annotations

from PySide6.QtCore import QObject, QSize

from gradviz.viewer.actions import Actions
from gradviz.viewer.canvas.graph_stage import GraphStage
from gradviz.viewer.canvas.graph_view import GraphView
from gradviz.viewer.canvas.interaction.graph_legend import GraphLegend
from gradviz.viewer.state import ViewerState
from gradviz.viewer.theme.theme import Theme

_EDGE = 10
"""Distance from the edges of the view, in pixels."""

_LEAST_SCALE = 0.9
"""Minimum font scale of a legend with many signs in a low window."""

_LEGEND_SHARE = 0.22
"""Maximum share of the view's width for the legend, unless the user asked for it."""


class LegendOverlay(QObject):
    """Shows, hides and positions the legend by the user's preferences."""

    def __init__(
        self,
        state: ViewerState,
        view: GraphView,
        stage: GraphStage,
        actions: Actions,
        parent: QObject | None = None,
    ) -> None:
        super().__init__(parent)
        self._state = state
        self._view = view
        self._stage = stage
        self._is_opened_by_user = False
        self.legend = GraphLegend(state.theme, actions.legend, view)
        preferences = state.preferences
        actions.legend.setChecked(preferences.legend)
        # Not `toggled`: hiding the legend for lack of space must not change the preference.
        actions.legend.triggered.connect(self._on_legend_triggered)
        self._actions = actions
        view.set_type_scale(state.theme.scale)
        preferences.changed.connect(self._on_preferences_changed)
        state.theme_changed.connect(self._on_state_theme_changed)
        view.resized.connect(self._arrange)
        stage.current_changed.connect(self.explain)
        state.lineage_changed.connect(self.explain)
        self._arrange()

    def _arrange(self) -> None:
        preferences, theme, view = self._state.preferences, self._state.theme, self._view
        edge, space = theme.px(_EDGE), view.viewport().rect()
        self._fit_legend(space.height() - 2 * edge)
        legend = preferences.legend and self._has_space(space.size())
        self._actions.legend.setChecked(legend)
        self.legend.setVisible(legend)
        self.legend.move(edge, max(0, space.height() - self.legend.height() - edge))
        view.reserve(self.legend.width() + 2 * edge if legend else 0)

    def _has_space(self, space: QSize) -> bool:
        """Whether the legend leaves enough space for the graph, or the user asked for it."""
        legend = self.legend
        # Compare the full-size width, or the legend would flicker as its font changes.
        width = legend.width() * self._state.theme.scale / legend.scale
        narrow = width > _LEGEND_SHARE * space.width()
        return self._is_opened_by_user or not (narrow or legend.height() > space.height())

    def _fit_legend(self, space: int) -> None:
        """Set the legend's font scale to the largest that fits."""
        theme, legend = self._state.theme, self.legend
        fitting = legend.scale * space / max(1, legend.height())
        # In steps, because the legend is repainted at each size.
        scale = min(theme.scale, max(_LEAST_SCALE, int(fitting * 20) / 20))
        if scale != legend.scale:
            legend.rescale(scale)

    def explain(self) -> None:
        """Update the legend to the signs that occur."""
        size = self.legend.size()
        self.legend.explain(self._stage.scene)
        if self.legend.size() != size:
            self._arrange()

    def _on_legend_triggered(self, wanted: bool) -> None:
        self._is_opened_by_user = True
        self._state.preferences.legend = wanted
        self._arrange()

    def _on_state_theme_changed(self, theme: Theme) -> None:
        self._view.set_type_scale(theme.scale)
        self._arrange()

    def _on_preferences_changed(self, name: str) -> None:
        if name == "legend":
            self._arrange()
