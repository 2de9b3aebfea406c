"""Mouse, keys and the widgets around the graph: legend, breadcrumbs."""
