"""The refusal of an archive."""


class ArchiveError(ValueError):
    """The file says something this program does not understand; the message begins with the JSON path."""

    def __init__(self, path: str, message: str):
        super().__init__(f"{path}: {message}")
        self.path = path
