"""Searching the trace: the field in the top bar, what it finds, and going through it."""
