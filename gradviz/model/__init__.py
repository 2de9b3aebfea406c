"""What a trace is: frozen values, their codec, statistics and validation."""
