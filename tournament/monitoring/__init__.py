"""What the person who runs the server sees: log lines and metrics, never whom they are about."""
