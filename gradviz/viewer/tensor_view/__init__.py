"""The one way in which a tensor is shown, everywhere in the window."""
