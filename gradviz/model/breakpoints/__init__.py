"""Places to run to in a recorded trace: what they are, and where a trace comes upon them."""
