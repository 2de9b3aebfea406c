"""The inspector: what happens at the current step, and all facts about the node it is about."""
