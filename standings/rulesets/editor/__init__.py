"""Rulesets as people edit them: a form for a profile, its order of tiebreaks and rounds table, and words."""
