"""Small widgets and layouts shared by several panels."""
