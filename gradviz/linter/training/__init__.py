"""Mistakes of a training that torch does not refuse, found in its trace."""
