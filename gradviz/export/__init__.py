"""Exports of a trace, one module per format."""
