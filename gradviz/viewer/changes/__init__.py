"""What if a value were another one: changes, the run with them, and what differs then."""
