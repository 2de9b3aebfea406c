"""Exit codes by which a child that cannot send any more says why."""

BUG = 70
"""An exception in gradviz itself; its traceback is on stderr."""

PIPE_LOST = 71
"""The pipe to the window was closed, by user code or by the window's end."""
