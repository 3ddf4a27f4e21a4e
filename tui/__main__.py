"""`python -m tui` is `proofdeck`."""

import sys

from tui.cli import main

sys.exit(main())
