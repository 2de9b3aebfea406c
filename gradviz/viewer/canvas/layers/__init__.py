"""Graphics layers of the graph: boxes, lines, labels and marks."""
