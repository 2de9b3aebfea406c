"""Experiments with a checked function: whether its numbers can be believed, and if not, why."""
