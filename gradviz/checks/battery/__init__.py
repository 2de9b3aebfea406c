"""Trials of backward with incoming gradients that gradcheck never uses."""
