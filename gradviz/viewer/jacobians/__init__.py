"""The Jacobians tab: numerical and analytical Jacobian and their difference, side by side."""
