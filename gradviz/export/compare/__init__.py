"""Exports of a comparison of two runs."""
