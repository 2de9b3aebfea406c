"""The guide: its contents, and the parser of its pages."""
