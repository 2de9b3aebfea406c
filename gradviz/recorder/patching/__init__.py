"""Patches that put the recorder between torch and the user's code."""
