"""Search in a trace: query language, index and hits."""
