"""What a run printed."""
