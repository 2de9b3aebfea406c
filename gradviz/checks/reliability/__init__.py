"""Experiments that tell whether a numerical Jacobian can be trusted."""
