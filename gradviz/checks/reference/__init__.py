"""Reference implementations of a function, which autograd can differentiate."""
