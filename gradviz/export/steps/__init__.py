"""The steps of a trace as text and JSON."""
