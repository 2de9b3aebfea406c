"""Errors of trace files, each with a message of one sentence."""


class TraceError(Exception):
    """A trace file cannot be read or written; the message is for people."""
