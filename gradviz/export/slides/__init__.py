"""Slides of a lesson or a run, as 16:9 pages for a projector."""
