"""The Doctor: which rules a run has broken, where, and how to fix it."""
