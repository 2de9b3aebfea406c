"""The handout and the slides of a lesson: its runs, and the PDF."""
