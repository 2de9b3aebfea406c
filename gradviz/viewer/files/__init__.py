"""Files: open, drop, watch and remember them."""
