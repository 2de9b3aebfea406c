"""What diagnoses share: Jacobian pairs, element sets and reruns."""
