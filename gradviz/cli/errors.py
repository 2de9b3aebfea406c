"""Errors that end a command with one sentence."""


class UsageError(Exception):
    """The command cannot do what was asked; the message is for people."""
