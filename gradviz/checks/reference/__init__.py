"""Plain versions of a function, whose derivatives autograd knows by itself."""
