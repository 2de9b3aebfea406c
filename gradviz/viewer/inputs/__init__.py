"""The form that says on which inputs a Function is run."""
