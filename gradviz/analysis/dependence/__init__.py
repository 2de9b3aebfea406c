"""Which input elements an output element of an op depends on."""
