"""Experiments that test whether a check's values are reliable, and why if they are not."""
