"""How the documentation is built: ``tox -e docs``."""

import importlib.metadata
import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parent / "ext"))

project = "scheduler_lib"
author = "The scheduler_lib authors"
project_copyright = author
release = importlib.metadata.version("scheduler_lib")

extensions = ["sphinx.ext.autodoc", "oslo_config.sphinxext", "placement_api"]
exclude_patterns = ["_build"]
html_theme = "alabaster"
nitpicky = False

autodoc_member_order = "bysource"
autodoc_typehints = "description"
