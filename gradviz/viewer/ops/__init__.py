"""The ops panel: what torch computed inside of a step, op by op."""
