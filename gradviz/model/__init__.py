"""What a trace is: values only, nothing that runs."""
