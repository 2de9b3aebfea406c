"""Numerical and analytical Jacobians, and their comparison."""
