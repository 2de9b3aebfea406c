"""Child processes that run user code: start, supervision, limits and termination."""
