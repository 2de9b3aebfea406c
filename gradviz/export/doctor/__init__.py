"""Findings of the doctor as text, JSON, SARIF and JUnit."""
