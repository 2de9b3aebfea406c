"""The guide: which pages there are, and how one is read."""
