"""Memory shared by tensors: versions, writes and aliases."""
