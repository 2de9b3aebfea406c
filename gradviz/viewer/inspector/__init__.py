"""The Inspector: what happens at the current step, and all facts about its node."""
