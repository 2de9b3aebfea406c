"""Starts, watches, limits and kills the child processes that run user code."""
