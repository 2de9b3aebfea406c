"""The Inputs form, which sets the inputs that a Function is run with."""
