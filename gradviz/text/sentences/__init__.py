"""The sentence of each kind of step, stage, line and op."""
