"""The timeline: all steps in a row, and the buttons that walk along them."""
