"""A comparison of two runs in Presenter Mode, one difference per click."""
