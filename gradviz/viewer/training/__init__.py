"""The Training tab: loss, gradients, time and memory over the iterations of a run."""
