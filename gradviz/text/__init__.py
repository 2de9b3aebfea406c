"""Sentences: what analysis finds, put into words by the catalogue."""
