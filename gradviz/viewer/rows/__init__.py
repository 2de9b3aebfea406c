"""One view of documents for all panels."""
