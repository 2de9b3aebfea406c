"""Comparison of a program's own backward passes with finite differences of the program."""
