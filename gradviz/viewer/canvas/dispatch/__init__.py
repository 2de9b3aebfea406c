"""The picture of a call that a type overrides with ``__torch_function__``."""
