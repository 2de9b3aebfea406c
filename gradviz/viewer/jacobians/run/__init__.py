"""Start of a check: settings and progress."""
