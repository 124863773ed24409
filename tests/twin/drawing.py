"""Small choices that all random requests are made of; most are sensible, some are not."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from hypothesis import strategies as st

from tests.twin import names
from tests.twin.generations import ConsumerGeneration, ProviderGeneration

Draw = Any


def mostly(value: Any, *others: Any, weight: int = 8) -> st.SearchStrategy[Any]:
    """Give a value nearly always, else one of the others."""
    return st.sampled_from([value] * weight + list(others))


def versions(since: str = "1.0") -> st.SearchStrategy[str]:
    """Give the newest microversion half of the time, else any; few below the first that works."""
    first = names.minor(since)
    known = st.sampled_from(names.VERSIONS[first:])
    older = st.sampled_from(names.VERSIONS[max(first - 2, 0) :])
    return st.one_of(st.just("1.39"), st.just("1.39"), known, older)


providers = st.sampled_from(names.PROVIDERS)
providers_and_nobody = mostly_provider = st.one_of(
    providers, providers, providers, st.sampled_from((names.PROVIDERS[0], names.NOBODY))
)
aggregates = st.sampled_from(names.AGGREGATES)
consumers = st.sampled_from(names.CONSUMERS)
traits = st.sampled_from(names.TRAITS)
classes = st.sampled_from(names.CLASSES)
amounts = st.sampled_from((1, 1, 1, 2, 2, 3, 4, 5, 8))


def provider_generations(uuid: str) -> st.SearchStrategy[ProviderGeneration]:
    """Give the provider's generation, seldom a stale one or one to come."""
    return mostly(0, -1, 1).map(lambda off: ProviderGeneration(uuid, off))


def consumer_generations(uuid: str) -> st.SearchStrategy[ConsumerGeneration | None]:
    """Give the consumer's generation, seldom another or none."""
    exact = ConsumerGeneration(uuid)
    return mostly(exact, None, ConsumerGeneration(uuid, 1), ConsumerGeneration(uuid, -1))


def some(
    items: Sequence[str], most: int, least: int = 0, unknown: str | None = None
) -> st.SearchStrategy[list[str]]:
    """Give some of the items, seldom with an unknown one among them."""
    known = st.lists(st.sampled_from(items), unique=True, min_size=least, max_size=most)
    if unknown is None:
        return known
    return st.one_of(known, known, known, known, known, known.map(lambda found: [*found, unknown]))


@st.composite
def inventories(draw: Draw) -> dict[str, Any]:
    """Give an inventory: small, so that it is soon used up."""
    total = draw(st.sampled_from((1, 2, 3, 4, 6, 8, 16)))
    found: dict[str, Any] = {"total": total}
    if draw(st.booleans()):
        found["allocation_ratio"] = draw(st.sampled_from((1.0, 1.5, 2.0, 0.5, 16)))
    if draw(st.integers(0, 3)) == 0:
        found["reserved"] = draw(st.integers(0, total + draw(mostly(0, 1))))
    if draw(st.integers(0, 3)) == 0:
        found["max_unit"] = draw(st.integers(1, total))
    if draw(st.integers(0, 5)) == 0:
        found["min_unit"] = draw(st.sampled_from((1, 2, 3)))
    if draw(st.integers(0, 5)) == 0:
        found["step_size"] = draw(st.sampled_from((1, 2, 3)))
    return found


def stocks(most: int = 3) -> st.SearchStrategy[dict[str, Any]]:
    """Give inventories by class; a class is seldom unknown."""
    known = st.dictionaries(classes, inventories(), max_size=most)
    named = mostly("", names.UNKNOWN_CLASS, weight=15)
    return st.tuples(known, named, inventories()).map(
        lambda drawn: {**drawn[0], **({drawn[1]: drawn[2]} if drawn[1] else {})}
    )


def resources(most: int = 3) -> st.SearchStrategy[dict[str, int]]:
    """Give amounts by class; a class is seldom unknown."""
    known = st.dictionaries(classes, amounts, min_size=1, max_size=most)
    named = mostly("", names.UNKNOWN_CLASS, weight=25)
    return st.tuples(known, named).map(
        lambda drawn: {**drawn[0], **({drawn[1]: 1} if drawn[1] else {})}
    )
