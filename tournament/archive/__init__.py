"""The portable event file: read, write, validate. Needs no database."""
