"""The facts of an event, and the only place that writes them."""

__version__ = "0.1.0"  # the only place of the version
