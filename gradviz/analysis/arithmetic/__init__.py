"""The arithmetic with which one element of a recorded tensor was computed."""
