"""What a correction would change, before it is made."""
