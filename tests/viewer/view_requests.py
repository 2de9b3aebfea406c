"""The view requests of a state, for tests that build parts of a window."""

from __future__ import annotations

from gradviz.viewer.state import ViewerState
from gradviz.viewer.view_requests import ViewRequests


def requests_of(state: ViewerState) -> ViewRequests:
    """The requests of a state, created on first use."""
    return state.findChild(ViewRequests) or ViewRequests(state, state)
