"""How the documentation is built: ``tox -e docs``."""

import importlib.metadata

project = "scheduler_lib"
author = "The scheduler_lib authors"
project_copyright = author
release = importlib.metadata.version("scheduler_lib")

extensions = ["sphinx.ext.autodoc", "oslo_config.sphinxext"]
exclude_patterns = ["_build"]
html_theme = "alabaster"
nitpicky = False

autodoc_member_order = "bysource"
autodoc_typehints = "description"
