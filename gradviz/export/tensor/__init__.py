"""A tensor as Python, LaTeX, CSV, JSON or NPY."""
