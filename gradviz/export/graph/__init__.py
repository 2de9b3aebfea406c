"""The graph as SVG and DOT."""
