"""What happened, in words: of a phase, a step, a stage, a line, an op."""
