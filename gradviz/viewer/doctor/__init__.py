"""The Doctor: which rules a run has broken, where, and what helps."""
