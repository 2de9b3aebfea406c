"""What the exports and the window make of recorded runs, to see what a change changes."""
