"""What a picture of the graph contains, and its state at a step."""
