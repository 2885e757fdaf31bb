#!/usr/bin/env python3
"""Sets itself up on a fresh machine, then runs `demo`, `serve`, `test [pytest args]` or any Django command.

This file must be readable by old Pythons, so that they can say what is wrong; the work is in
tournament/config/bootstrap.py.
"""

import sys

NEEDED = (3, 11)

if __name__ == "__main__":
    if sys.version_info < NEEDED:
        sys.stderr.write(
            (
                "Python %d.%d or newer is required, and this is Python %d.%d. Install a newer one "
                "and run it by name, for example: python3.12 manage.py demo\n"
            )
            % (NEEDED + tuple(sys.version_info[:2]))
        )
        sys.exit(2)

    from tournament.config import bootstrap

    sys.exit(bootstrap.main(sys.argv))
