"""Lesson files: an ordered list of views with questions and speaker notes."""
