"""Snapshots and whatever else services write are in a folder of the test."""

import pytest


@pytest.fixture(autouse=True)
def own_var(settings, tmp_path):
    settings.VAR_DIR = tmp_path
