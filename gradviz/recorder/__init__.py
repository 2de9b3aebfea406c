"""Code that runs inside the user's process and writes what autograd does into a trace."""
