"""Modules and optimizers."""
