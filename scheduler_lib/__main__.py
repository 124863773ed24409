"""``python -m scheduler_lib`` is the command ``scheduler-lib``."""

import sys

from scheduler_lib.cmd.main import main

if __name__ == "__main__":
    sys.exit(main())
