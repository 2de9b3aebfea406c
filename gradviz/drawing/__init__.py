"""A trace's graph as a picture: folded, measured, and laid out by Graphviz."""
