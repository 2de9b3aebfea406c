"""The graph: layers of boxes, curves and labels, and what the mouse and the keys do with them."""
