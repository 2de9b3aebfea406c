"""The Library panel: the gallery's scenes and the user's files."""
