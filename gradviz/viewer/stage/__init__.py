"""The stage: what an audience sees, one picture for each click."""
