"""Whatever is asked of both, in whatever order, both say the same."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.twin import claims, operations
from tests.twin.conftest import example_settings
from tests.twin.exchange import Request
from tests.twin.queries import queries
from tests.twin.twins import Twins

pytestmark = [pytest.mark.filterwarnings("ignore"), pytest.mark.timeout(1800)]

PROVIDERS = (
    operations.provider_writes(),
    operations.provider_lists(),
    operations.aggregate_writes(),
    operations.trait_writes(),
    operations.reads(),
)
STOCK = (
    operations.inventory_writes(),
    operations.inventory_writes(),
    operations.catalogue_writes(),
    claims.claims(),
    operations.reads(),
)
CLAIMS = (
    claims.claims(),
    claims.claims(),
    claims.claims_of_several(),
    operations.inventory_writes(),
    claims.reshapes(),
    operations.reads(),
    operations.usage_reads(),
)
EVERYTHING = (
    *PROVIDERS,
    *STOCK,
    *CLAIMS,
    queries(),
    queries(),
)
THEMES = {"providers": PROVIDERS, "stock": STOCK, "claims": CLAIMS, "everything": EVERYTHING}


@pytest.mark.parametrize("theme", THEMES)
def test_any_sequence_of_operations_leads_to_the_same(theme: str, twins: Twins) -> None:
    work = st.lists(st.one_of(*THEMES[theme]), min_size=15, max_size=40)

    @example_settings(25)
    @given(operations.trees(), work)
    def run(built: list[Request], asked: list[Request]) -> None:
        twins.start()
        twins.run([*built, *asked])

    run()
    # Each answer is compared as it comes; that there were some is left to say.
    assert twins.history


@pytest.mark.parametrize("part", range(2))
def test_any_query_has_the_same_candidates(part: int, twins: Twins) -> None:
    asked = st.lists(queries(), min_size=6, max_size=12)
    held = st.lists(claims.claims(), max_size=4)

    @example_settings(40)
    @given(st.just(part), operations.trees(), held, asked)
    def run(_: int, built: list[Request], held: list[Request], asked: list[Request]) -> None:
        twins.start()
        for request in (*built, *held, *asked):
            twins.check(request)

    run()
