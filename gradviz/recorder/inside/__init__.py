"""Source lines and ops inside the stages of a step."""
