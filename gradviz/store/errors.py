"""What can be wrong with a trace file, told in one sentence."""


class TraceError(Exception):
    """A trace file cannot be read or written; the message is for people."""
