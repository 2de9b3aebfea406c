"""Contents of a trace and questions about it, as values and functions that run no torch."""
