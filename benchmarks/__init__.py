"""Benchmarks of gradviz, most as ratios to a peer measured in the same run."""
