"""Comparison of two different runs."""
