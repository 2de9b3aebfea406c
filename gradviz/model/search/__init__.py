"""Search in a trace: queries, the index of searchable things, and reasons for matches."""
