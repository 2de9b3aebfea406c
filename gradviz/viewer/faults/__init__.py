"""Handling of errors and crashes in gradviz itself."""
