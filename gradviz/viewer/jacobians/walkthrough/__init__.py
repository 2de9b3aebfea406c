"""A check explained one idea at a time, for Presenter Mode."""
