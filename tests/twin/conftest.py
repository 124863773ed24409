"""Both apps, and how much random work there is."""

from __future__ import annotations

import os
from collections.abc import Iterator

import pytest
from hypothesis import HealthCheck, Phase, settings

from tests import peers
from tests.twin.twins import Twins

EXAMPLES = "SCHEDULER_LIB_TEST_TWIN_EXAMPLES"
"""Set to a number, so many examples are tried, other ones each time; else always the same ones."""

SHRINK = "SCHEDULER_LIB_TEST_TWIN_SHRINK"
"""Set to 1, the shortest sequence that fails is looked for, which takes minutes."""


def example_settings(examples: int) -> settings:
    """Return how random work is drawn.

    :param examples: how many of the examples that are always the same.
    """
    wanted = os.environ.get(EXAMPLES)
    phases = [Phase.explicit, Phase.generate]
    if os.environ.get(SHRINK) == "1":
        phases.append(Phase.shrink)
    return settings(
        phases=phases,
        max_examples=int(wanted) if wanted else examples,
        derandomize=wanted is None,
        database=None,
        deadline=None,
        print_blob=False,
        suppress_health_check=list(HealthCheck),
    )


@pytest.fixture
def twins() -> Iterator[Twins]:
    """The reference and the app under test, both empty."""
    peers.need_reference()
    from tests.conformance.targets import load
    from tests.twin import reference

    app = reference.make_app()
    both = Twins(app, load(peers.app_under_test()))
    both.start()
    yield both
    both.close()
    app.close()
