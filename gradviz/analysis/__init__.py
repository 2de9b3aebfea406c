"""Questions about a trace: index, positions, provenance, comparison, breakpoints, search."""
