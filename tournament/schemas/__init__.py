"""What our JSON files may hold: kinds of values, refusals that name their place, JSON Schemas."""
