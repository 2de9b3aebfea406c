"""Messages between the window and its child processes: bytes in, values out."""
