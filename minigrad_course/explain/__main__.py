"""`python -m minigrad_course.explain FILE`."""

import sys

from minigrad_course.explain.command import main

sys.exit(main())
