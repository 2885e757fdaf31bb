"""Requests by chance: none breaks the server, shows what its sender may not see, or changes what is not theirs.

400 requests here, 1,500 in CI, 100,000 with FULL=1; the same ones each time, or as many as REQUESTS says,
with another SEED.
"""

import os
from collections.abc import Iterator

import pytest
from django.db import transaction

from tests.conftest import CI, FULL, empty
from tests.security.fuzz import Fuzzer
from tests.tournament.access.test_permissions import world_of_events

SEED = int(os.environ.get("SEED", "1"))
PARTS = 8 if FULL else 1  # for as many processes as there are
REQUESTS = int(os.environ.get("REQUESTS") or (100_000 if FULL else 1_500 if CI else 400))


@pytest.fixture(scope="module")
def fuzzer(django_db_setup, django_db_blocker) -> Iterator[Fuzzer]:
    with django_db_blocker.unblock(), transaction.atomic():
        yield Fuzzer(world_of_events(), SEED)
        transaction.set_rollback(True)


@pytest.mark.any_value
@pytest.mark.parametrize("part", range(PARTS))
def test_no_request_breaks_or_opens_anything(fuzzer, db, part):
    empty()
    faults: list[str] = []
    for number in range(part, REQUESTS, PARTS):
        request = fuzzer.request(number)
        faults += [f"{number}: {fault}\n    {request!r}" for fault in fuzzer.faults_of(request)]
    print(f"seed {SEED}: {dict(fuzzer.statuses)}")
    assert not faults, "\n".join(faults)
