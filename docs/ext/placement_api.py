"""Sphinx directives that write the reference of the Placement API out of the API's own data.

``placement-history`` lists the microversions; ``placement-operations`` has every operation with its
parameters, bodies, answers and an example, which is sent to an application while the page is made.
The OpenAPI document is written beside the pages.
"""

from __future__ import annotations

import json
from pathlib import Path

import placement_reference
from docutils import nodes
from sphinx.application import Sphinx
from sphinx.util.docutils import SphinxDirective

from scheduler_lib.api import openapi
from scheduler_lib.api.routes import OPERATIONS


class History(SphinxDirective):
    """The table of microversions."""

    def run(self) -> list[nodes.Node]:
        """Return the table."""
        return self.parse_text_to_nodes("\n".join(placement_reference.history()))


class Operations(SphinxDirective):
    """The sections of all operations."""

    def run(self) -> list[nodes.Node]:
        """Return the sections."""
        text = "\n".join(placement_reference.reference())
        return self.parse_text_to_nodes(text, allow_section_headings=True)


def _write_document(app: Sphinx, failure: Exception | None) -> None:
    if failure is None and app.builder.format == "html":
        document = openapi.document(OPERATIONS, app.config.release)
        path = Path(app.outdir) / "openapi.json"
        path.write_text(json.dumps(document, indent=1), encoding="utf-8")


def setup(app: Sphinx) -> dict[str, bool]:
    """Make the directives known."""
    app.add_directive("placement-history", History)
    app.add_directive("placement-operations", Operations)
    app.connect("build-finished", _write_document)
    return {"parallel_read_safe": True, "parallel_write_safe": True}
