"""The source pane: the recorded text, the current line, and what each line has set."""
