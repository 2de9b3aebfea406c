"""Tries backward with incoming gradients that gradcheck never tries."""
