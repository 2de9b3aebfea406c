"""Lets the clicker show the pages of the step's values in Presenter Mode."""

from __future__ import annotations

from typing import TYPE_CHECKING

from gradviz.viewer.click_sequence import ClickSequence

if TYPE_CHECKING:
    from gradviz.viewer.presenter.presenter_values import PresenterValues


class ValuePages:
    """The pages of the values that are shown now; none outside of Presenter Mode."""

    def __init__(self, clicks: ClickSequence) -> None:
        self._clicks = clicks
        self._values: PresenterValues | None = None
        clicks.add(self)

    def follow(self, values: PresenterValues | None) -> None:
        """Show the pages of these values, or of none, at the next clicks."""
        self._values = values
        self._clicks.announce()

    @property
    def _shown(self) -> PresenterValues | None:
        """The values if they are in sight: the guide, or another page, may take their space."""
        values = self._values
        return values if values is not None and values.isVisibleTo(values.window()) else None

    @property
    def has_next(self) -> bool:
        """Whether there is a further page."""
        values = self._shown
        return values is not None and values.has_next

    @property
    def has_previous(self) -> bool:
        """Whether there is an earlier page."""
        values = self._shown
        return values is not None and values.has_previous

    def show_next(self) -> None:
        """Show the next page."""
        if self._values is not None:
            self._values.show_next()

    def show_previous(self) -> None:
        """Show the previous page."""
        if self._values is not None:
            self._values.show_previous()
