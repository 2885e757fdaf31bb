"""Back up the whole database to one file while the server runs, and restore it."""
