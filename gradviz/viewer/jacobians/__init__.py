"""The Jacobians tab: numerical, analytical and difference, side by side under one cursor."""
