"""Breakpoints: their list, their marks, and the commands that run to them."""
