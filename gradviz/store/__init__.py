"""The trace file: written during the run, read lazily, and never trusted."""
