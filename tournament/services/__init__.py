"""Services write facts, one file per noun. Each is one transaction: row lock first, one action logged.

A service takes the tournament, the public names of facts (codes, round and table numbers), and by keyword the `actor`,
the form's `key`, and a `reason` if needed. If it raises `tournament.errors.Refused`, nothing was written: NotFound for
unknown codes and numbers, WrongState if the event's state does not allow it, Conflict if someone else has changed it.
Docstrings name only errors that are not obvious.
"""
