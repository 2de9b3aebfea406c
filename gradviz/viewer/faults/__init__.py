"""What is done about our own mistakes."""
