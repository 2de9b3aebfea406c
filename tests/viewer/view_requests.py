"""The view requests of a state, for tests that build parts of a window."""

from __future__ import annotations

from gradviz.viewer.state import ViewerState
from gradviz.viewer.view_requests import ViewRequests


def requests_of(state: ViewerState) -> ViewRequests:
    """The one object of the state, made when it is first asked for."""
    return state.findChild(ViewRequests) or ViewRequests(state, state)
