"""The training panel: loss and gradient norms over the training steps of a run."""
