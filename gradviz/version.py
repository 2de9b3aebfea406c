"""The version of gradviz."""

__version__ = "0.1.0"
