"""What the inspector shows, as values: one module for each kind of step or node."""
