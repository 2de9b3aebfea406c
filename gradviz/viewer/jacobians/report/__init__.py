"""What a check found: verdict, diagnoses, elements, curves and trials."""
