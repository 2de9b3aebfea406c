"""Violations of the doctor's rules, read from source text and selected for a report."""
