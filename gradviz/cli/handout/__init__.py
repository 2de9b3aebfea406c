"""The handout of a lesson: its runs, and the PDF."""
