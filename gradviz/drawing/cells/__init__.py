"""One layout of tensors, Jacobians and thumbnails as cells, drawn on the screen and as SVG."""
