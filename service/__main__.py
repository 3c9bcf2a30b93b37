"""`python -m service`, the same as the command `ludicitude`."""

import sys

from service.cli import main

sys.exit(main())
