"""Uses the window for hours, as a user would, and looks for what grows meanwhile."""
