"""The Outline panel: the graph as a list, for keyboard and screen reader users."""
