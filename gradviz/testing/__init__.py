"""The pytest plugin: traces and diagnoses of failing gradient checks and of NaN gradients."""
