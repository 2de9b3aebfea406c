"""The Compare tab: another run beside the window's own."""
