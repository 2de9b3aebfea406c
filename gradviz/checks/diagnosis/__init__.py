"""Rules that recognize typical mistakes by the difference of two Jacobians, in order."""
