"""A ruleset tried before it is used: on worked examples, on real events, and on an event that is being played."""
