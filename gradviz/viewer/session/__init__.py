"""The window's session: child processes, the requests to them, and their progress."""
