"""All commands by name, and all keys by place."""
