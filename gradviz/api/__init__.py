"""Public functions for Python programs and notebooks, run in their own process."""
