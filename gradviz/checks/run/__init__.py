"""One check from start to report: context, progress and findings."""
