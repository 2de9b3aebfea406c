"""The What If panel: changed inputs, the run with them, and the differences."""
