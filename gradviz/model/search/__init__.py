"""Finding things in a trace: what is asked, all that can be found, and why it was found."""
