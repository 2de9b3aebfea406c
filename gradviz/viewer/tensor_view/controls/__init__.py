"""Controls of a tensor view: slices, axes, options and menu."""
