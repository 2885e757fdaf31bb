"""All writes of facts, one file per noun. Each service is one transaction: row lock first, one action logged.

A service takes the tournament, the public names of the facts it changes (codes, round and table numbers), and by
keyword who did it (`actor`), the form's `key`, and a `reason` if one is needed. If it raises
`tournament.errors.Refused`, in the organizer's words, nothing was written.
"""
