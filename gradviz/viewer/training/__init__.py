"""The plot of a training: the loss and the norms of gradients over its steps."""
