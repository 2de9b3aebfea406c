"""The graph as a list: for the keyboard, and for those who cannot see the picture."""
