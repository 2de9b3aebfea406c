"""Presenter mode: the window as a room needs it, large, quiet and led by a clicker."""
