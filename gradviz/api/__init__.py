"""What Python programs and notebooks call, in their own process: ``gradviz.check``."""
