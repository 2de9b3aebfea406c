"""The trace file: written while the run happens, read lazily, trusted with nothing."""
