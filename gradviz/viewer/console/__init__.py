"""The Console panel: the output of a run."""
