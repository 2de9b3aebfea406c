"""A tensor in a window of its own: heatmap, table and histogram."""
