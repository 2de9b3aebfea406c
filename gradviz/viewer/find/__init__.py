"""Search in the trace: the search field, the list of matches, and moving between them."""
