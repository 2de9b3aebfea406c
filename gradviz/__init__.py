"""gradviz makes PyTorch's autograd visible: record a run once, look at it for ever."""

__version__ = "0.1.0"
