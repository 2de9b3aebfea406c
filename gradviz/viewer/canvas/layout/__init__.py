"""From a trace to positions: arrangement, progress at a step and transitions."""
