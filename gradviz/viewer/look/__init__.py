"""Colours, fonts, icons and motion."""
