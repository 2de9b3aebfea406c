"""The source pane: the recorded source, the current line, and what each line assigned."""
