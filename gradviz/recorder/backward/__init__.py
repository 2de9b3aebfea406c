"""Backward passes: engine order, gradients, hooks and broken rules."""
