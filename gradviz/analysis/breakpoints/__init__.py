"""Breakpoints as values, and where a trace hits them."""
