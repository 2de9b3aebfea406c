"""Folding of large graphs into groups."""
