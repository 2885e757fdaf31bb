"""Every write of the facts, one file a noun. Each service is one transaction, row lock first, one action.

A service takes the tournament, the facts it changes by their public names (codes, round and table numbers),
and by keyword who did it (`actor`), the form's `key`, and a `reason` where one is needed. Where it raises
`tournament.errors.Refused`, in the organizer's words, nothing was written.
"""
