"""What runs: the children, what they are asked, and how far they are."""
