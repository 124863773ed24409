"""Random claims and reshapes, in the shape that the microversion wants, seldom in another."""

from __future__ import annotations

from typing import Any

from hypothesis import strategies as st

from tests.twin import names
from tests.twin.drawing import (
    Draw,
    consumer_generations,
    consumers,
    mostly,
    provider_generations,
    providers_and_nobody,
    resources,
    stocks,
    versions,
)
from tests.twin.exchange import Request


@st.composite
def claims(draw: Draw) -> Request:
    """Write what one consumer holds."""
    consumer = draw(consumers)
    version = draw(versions("1.8"))
    shape = names.minor(draw(mostly(version, "1.39", "1.12", weight=12)))
    if shape < 12:
        body = _as_list(draw(_shares(1)), shape, draw(_owners()))
    else:
        body = draw(_holding(consumer, shape))
    return Request("PUT", f"/allocations/{consumer}", body=body, version=version)


@st.composite
def claims_of_several(draw: Draw) -> Request:
    """Write what several consumers hold: a move, a swap, a mix."""
    version = draw(versions("1.13"))
    shape = names.minor(draw(mostly(version, "1.39", weight=12)))
    wanted = draw(st.lists(consumers, unique=True, min_size=1, max_size=3))
    body = {uuid: draw(_holding(uuid, max(shape, 13), least=0)) for uuid in wanted}
    return Request("POST", "/allocations", body=body, version=version)


@st.composite
def reshapes(draw: Draw) -> Request:
    """Write inventories of several providers and what consumers hold, at once."""
    version = draw(versions("1.30"))
    shape = max(names.minor(version), 30)
    touched = draw(st.lists(providers_and_nobody, unique=True, min_size=1, max_size=3))
    inventories = {
        uuid: {
            "resource_provider_generation": draw(provider_generations(uuid)),
            "inventories": draw(stocks()),
        }
        for uuid in touched
    }
    holders = draw(st.lists(consumers, unique=True, max_size=2))
    held = {uuid: draw(_holding(uuid, shape, least=0)) for uuid in holders}
    body = {"inventories": inventories, "allocations": held}
    return Request("POST", "/reshaper", body=body, version=version)


@st.composite
def _shares(draw: Draw, least: int) -> dict[str, dict[str, int]]:
    return draw(  # type: ignore[no-any-return]
        st.dictionaries(providers_and_nobody, resources(2), min_size=least, max_size=2)
    )


@st.composite
def _owners(draw: Draw) -> dict[str, str]:
    return {
        "project_id": draw(st.sampled_from(names.PROJECTS)),
        "user_id": draw(st.sampled_from(names.USERS)),
    }


@st.composite
def _holding(draw: Draw, consumer: str, shape: int, least: int | None = None) -> dict[str, Any]:
    fewest = draw(mostly(1, 0)) if least is None else draw(mostly(1, least, weight=3))
    shares = draw(_shares(fewest)) if fewest else {}
    allocations: dict[str, Any] = {uuid: {"resources": wanted} for uuid, wanted in shares.items()}
    if allocations and draw(st.integers(0, 5)) == 0:
        next(iter(allocations.values()))["generation"] = draw(st.integers(0, 9))
    body = {"allocations": allocations, **draw(_owners())}
    if shape >= 28:
        body["consumer_generation"] = draw(consumer_generations(consumer))
    if shape >= 34 and shares and draw(st.integers(0, 5)) == 0:
        body["mappings"] = {"": list(shares)}
    if shape >= 38:
        body["consumer_type"] = draw(mostly("INSTANCE", "MIGRATION", "lower", weight=12))
    return body


def _as_list(
    shares: dict[str, dict[str, int]], shape: int, owners: dict[str, str]
) -> dict[str, Any]:
    allocations = [
        {"resource_provider": {"uuid": uuid}, "resources": wanted}
        for uuid, wanted in shares.items()
    ]
    return {"allocations": allocations, **(owners if shape >= 8 else {})}
