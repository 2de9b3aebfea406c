"""All tensors of a run in one file, with a table that says which is which."""
