"""The window: panels that show a trace, and the state that they share."""
