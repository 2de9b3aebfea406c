"""Small widgets and layouts that several panels use."""
