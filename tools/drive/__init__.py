"""Drives the real window from outside, as a person does, and judges what it shows."""
