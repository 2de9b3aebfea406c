"""Shows the arithmetic of an element: frames in cells, a line of numbers, names in the code."""
