"""Sizes and positions of boxes and texts."""
