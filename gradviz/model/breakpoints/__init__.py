"""Breakpoints in a recorded trace: their definitions, and the places where they hit."""
