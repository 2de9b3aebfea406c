"""Loss curves, gradient norms and parameter updates of a training run."""
