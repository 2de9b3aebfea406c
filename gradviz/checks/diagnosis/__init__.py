"""What differences between two Jacobians look like: one module for each kind, and their order."""
