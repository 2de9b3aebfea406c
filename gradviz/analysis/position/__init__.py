"""Positions in a run, from steps down to ops, and moves between them."""
