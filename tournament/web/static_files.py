from pathlib import Path

from django.contrib.staticfiles import finders
from django.contrib.staticfiles.storage import staticfiles_storage


def read_static(name: str) -> bytes:
    return Path(finders.find(name) or staticfiles_storage.path(name)).read_bytes()
