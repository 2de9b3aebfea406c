"""The settings, as a dialog."""
