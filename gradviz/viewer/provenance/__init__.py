"""The Origin panel: where a value came from, and the history of a tensor's memory."""
