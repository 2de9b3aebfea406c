"""What a file defines without declaring inputs for it: targets, and inputs that are made."""
