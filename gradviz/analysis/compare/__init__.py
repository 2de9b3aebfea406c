"""Comparison of two runs: pairing of steps and values, and their differences."""
