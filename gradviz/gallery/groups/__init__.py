"""The scenes, one module per group."""
