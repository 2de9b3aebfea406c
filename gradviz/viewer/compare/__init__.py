"""The Compare tab, which shows another run next to the window's own."""
