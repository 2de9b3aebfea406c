"""Where a NaN, an Inf, a zero or a large element came from, and what became of a memory."""
