"""Preview of a correction."""
