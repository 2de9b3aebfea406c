"""What a trace is turned into: one file for each form."""
