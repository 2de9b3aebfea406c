"""Forms: typed fields with captions, problems and tooltips, declared one call each."""
