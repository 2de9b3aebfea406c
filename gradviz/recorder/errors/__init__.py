"""Exceptions of torch, explained by what has led to them."""
