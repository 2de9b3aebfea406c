"""Tensors of the run as records: identity, elements and statistics."""
