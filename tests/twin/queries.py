"""Random queries for candidates, over the whole grammar; some ask for what there is not."""

from __future__ import annotations

from hypothesis import strategies as st

from tests.twin import names
from tests.twin.drawing import Draw, amounts, classes, mostly, providers_and_nobody, some, versions
from tests.twin.exchange import Request
from tests.twin.operations import member_of_parts, required_parts


@st.composite
def queries(draw: Draw) -> Request:
    """Give one query."""
    version = draw(versions("1.10"))
    number = names.minor(version)
    suffixes = draw(_suffixes(number))
    parts: list[str] = []
    for suffix in suffixes:
        parts += draw(_group(suffix, number))
    named = [suffix for suffix in suffixes if suffix]
    if len(named) > draw(mostly(1, 0, 2)):
        parts.append(f"group_policy={draw(st.sampled_from(('none', 'none', 'isolate')))}")
    if number >= 35 and draw(st.integers(0, 4)) == 0:
        found = draw(some(names.TRAITS, 2, 1, names.UNKNOWN_TRAIT))
        parts.append("root_required=" + ",".join(draw(mostly("", "!")) + name for name in found))
    if number >= 36 and len(named) > 1 and draw(st.booleans()):
        parts.append("same_subtree=" + ",".join(named))
    if number >= 16 and draw(st.integers(0, 3)) == 0:
        parts.append(f"limit={draw(st.sampled_from((1, 2, 3, 10, 1000)))}")
    return Request("GET", "/allocation_candidates", "&".join(draw(_shuffled(parts))), None, version)


def _shuffled(parts: list[str]) -> st.SearchStrategy[list[str]]:
    return st.one_of(st.just(parts), st.permutations(parts))


@st.composite
def _suffixes(draw: Draw, number: int) -> list[str]:
    if number < 25:
        return [""]
    known = names.SUFFIXES if number < 33 else ("1", "_GPU", "nic-0")
    chosen = draw(some(known, 3))
    return ["", *chosen] if not chosen or draw(st.booleans()) else chosen


@st.composite
def _group(draw: Draw, suffix: str, number: int) -> list[str]:
    parts = []
    # A group without resources is only allowed where same_subtree names it.
    if draw(mostly(True, False, weight=12)):
        wanted = draw(st.dictionaries(classes, amounts, min_size=1, max_size=2 if suffix else 3))
        asked = ",".join(f"{name}:{amount}" for name, amount in wanted.items())
        parts.append(f"resources{suffix}={asked}")
    if number >= 17:
        parts += draw(required_parts(suffix))
    if number >= 21:
        parts += draw(member_of_parts(suffix))
    if number >= 31 and draw(st.integers(0, 5)) == 0:
        parts.append(f"in_tree{suffix}={draw(providers_and_nobody)}")
    return parts
