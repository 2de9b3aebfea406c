"""Jacobian maps: cells, colors, numbers, axes and marks."""
