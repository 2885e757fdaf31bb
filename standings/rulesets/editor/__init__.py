"""The ruleset editor: one form for a profile, with its standings order and its rounds table as formsets."""
