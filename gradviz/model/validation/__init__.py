"""The invariants that every trace must satisfy."""
