"""What gradviz costs, as ratios against a peer that is measured in the same run."""
