"""A walk through a run as a film: GIF and MP4."""
