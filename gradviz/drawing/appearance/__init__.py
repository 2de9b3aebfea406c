"""Colors, fonts and text measurement of pictures."""
