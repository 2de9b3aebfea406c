"""Sentences on what happened in a phase, a step, a stage, a line or an op."""
