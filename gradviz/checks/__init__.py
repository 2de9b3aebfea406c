"""Re-implementation of ``torch.autograd.gradcheck`` that compares and explains Jacobians."""
