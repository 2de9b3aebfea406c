"""Elements of tensors as numbers: reading, rounding and comparing them."""
