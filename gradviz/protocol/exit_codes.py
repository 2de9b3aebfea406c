"""Exit codes that tell why a child ended if it can no longer send messages."""

BUG = 70
"""An exception in gradviz itself; its traceback is on stderr."""

PIPE_LOST = 71
"""The pipe to the window was closed, by user code or because the window ended."""
