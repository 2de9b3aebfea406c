"""Runs of whole programs, and of files as scripts."""
