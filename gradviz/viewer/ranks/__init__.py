"""The processes of a distributed program: one row for each, above the timeline."""
