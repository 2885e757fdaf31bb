"""Forms check the input; they never save. Saving is a service."""
