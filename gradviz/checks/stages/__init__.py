"""The stages of a check, in gradcheck's order."""
