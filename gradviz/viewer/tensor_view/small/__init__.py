"""A tensor as a heatmap of a few cells."""
