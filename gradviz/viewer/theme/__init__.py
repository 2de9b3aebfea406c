"""Themes, fonts, icons and motion of the window."""
