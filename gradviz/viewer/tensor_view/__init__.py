"""Widgets that show a tensor: heatmap, number table, histogram, and the large view."""
