"""Code of a child process: loads a scene or a file, records, checks and reports."""
