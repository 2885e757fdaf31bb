"""Forms check what was filled in; they never save. Saving is a service."""
