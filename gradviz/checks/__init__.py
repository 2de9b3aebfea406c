"""Numerical and analytical Jacobians: values in, values out."""
