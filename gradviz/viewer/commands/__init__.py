"""Lists all commands by name and all keys by where they work."""
