"""The handout of a lesson: pages of paper as SVG, one for each stop, and the answers at the end."""
