"""Where a tensor or a non-finite element came from."""
