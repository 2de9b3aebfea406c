"""Varies the inputs of a check by itself: sizes, strides, types, what is differentiated, None."""
