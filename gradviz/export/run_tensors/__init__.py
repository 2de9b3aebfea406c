"""Exports all tensors of a run to one file, with a table that identifies them."""
