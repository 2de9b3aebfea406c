"""Variations of a check's inputs: sizes, strides, dtypes, required gradients, None."""
