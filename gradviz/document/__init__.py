"""What is known of a thing as rows of names and values, for lists and tables."""
