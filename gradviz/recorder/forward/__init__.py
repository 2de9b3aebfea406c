"""Forward calls: custom Functions, built-in ops and broken rules."""
