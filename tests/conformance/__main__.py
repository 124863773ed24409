"""``python -m tests.conformance``."""

import sys

from tests.conformance.commandline import main

if __name__ == "__main__":
    sys.exit(main())
