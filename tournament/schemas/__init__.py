"""Schemas of our JSON files: kinds of values, refusals that name their place, JSON Schemas."""
