"""A trace with its cross references resolved, and queries on it."""
