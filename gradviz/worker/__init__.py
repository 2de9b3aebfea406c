"""What runs inside a child process: loads a scene or a file, records, checks, reports."""
