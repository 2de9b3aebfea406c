"""The processes of a distributed program: one lane for each, above the timeline."""
