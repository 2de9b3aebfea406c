"""Calls that types override with ``__torch_function__``."""
