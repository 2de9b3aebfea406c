"""Presenter Mode: a large, simple view for an audience, controlled by a clicker."""
