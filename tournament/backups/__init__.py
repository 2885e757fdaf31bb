"""The whole database as one file, written while the server runs, and back again."""
