"""The figures, films and slides of a run."""
