"""The scenes, one module for each group."""
