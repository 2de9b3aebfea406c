"""Layout by Graphviz in a child process."""
