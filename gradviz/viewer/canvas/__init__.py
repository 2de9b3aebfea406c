"""The graph canvas: layers of boxes, curves and labels, and its mouse and key handling."""
