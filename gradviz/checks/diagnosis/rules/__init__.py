"""Diagnoses read from the two Jacobians alone."""
