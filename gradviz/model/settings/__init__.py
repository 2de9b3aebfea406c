"""What a recording is asked for."""
