"""Trace graphs as drawings: folding, measuring, and layout by Graphviz."""
