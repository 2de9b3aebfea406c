"""Messages between the window and its child processes, decoded from bytes to values."""
