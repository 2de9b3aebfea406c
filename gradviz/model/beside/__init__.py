"""Two different runs side by side."""
