"""Random forests and random requests, made of one number each."""

from __future__ import annotations

from collections.abc import Sequence
from random import Random
from typing import Any

from scheduler_lib.exceptions import InvalidRequest
from scheduler_lib.model.inventory import Inventory
from scheduler_lib.model.provider import Stock
from scheduler_lib.model.request import ResourceGroup
from tests.fleet.builders import Forest, uid

CLASSES = ("VCPU", "MEMORY_MB", "DISK_GB", "CUSTOM_GPU")
TRAITS = ("CUSTOM_A", "CUSTOM_B", "CUSTOM_C")
LETTERS = "XYZ"


def some(random: Random, names: Sequence[str], odds: float) -> frozenset[str]:
    """Return each of the names with the same odds."""
    return frozenset(name for name in names if random.random() < odds)


def forest_of(random: Random, size: int) -> Forest:
    """Return trees of up to ``size`` providers in all; some share with others."""
    forest = Forest()
    names: list[str] = []
    sharing = random.choice([0.0, 0.2, 0.4])
    flat = random.random() < 0.15
    for number in range(size):
        name = f"p{number}"
        under = None if flat or not names else random.choice([None, *names[-4:]])
        forest.add(
            name,
            {key: stock_of(random) for key in CLASSES if random.random() < 0.6},
            under=under,
            traits=some(random, TRAITS, 0.4),
            aggregates="".join(sorted(some(random, LETTERS, 0.3))),
            shares=random.random() < sharing,
        )
        names.append(name)
    return forest


def stock_of(random: Random) -> Stock:
    """Return an inventory, most of them with room for a few units."""
    inventory = Inventory(
        random.randint(2, 8),
        reserved=random.choice([0, 0, 0, 1]),
        min_unit=random.choice([1, 1, 1, 1, 2]),
        max_unit=random.choice([2, 4, 8, 8]),
        step_size=random.choice([1, 1, 1, 1, 2]),
        # Quarters are exact in binary too: the peer rounds other ones as they come.
        allocation_ratio=random.choice([1.0, 1.0, 1.0, 0.5, 1.25, 2.0]),
    )
    return Stock(inventory, random.choice([0, 0, 0, 1, 2, 5]))


def group_of(random: Random, size: int, *, bare: bool = False) -> ResourceGroup:
    """Return one group; a bare one asks for no resources."""

    def rarely(value: Any, otherwise: Any, odds: float) -> Any:
        return value if random.random() < odds else otherwise

    classes = random.sample(CLASSES, random.choice([1, 1, 2, 3]))
    one_of = frozenset(random.sample(TRAITS, 2))
    fields: dict[str, Any] = {
        "resources": {} if bare else {name: random.choice([1, 1, 2, 2, 4]) for name in classes},
        "required": rarely(some(random, TRAITS, 0.5), frozenset(), 0.15),
        "any_of": rarely((one_of,), (), 0.12),
        "forbidden": rarely(frozenset(random.sample(TRAITS, 1)), frozenset(), 0.12),
        "member_of": rarely(tuple(_places(random) for _ in range(random.choice([1, 2]))), (), 0.2),
        "forbidden_aggregates": rarely(_places(random), frozenset(), 0.15),
        "in_tree": rarely(uid(f"p{random.randrange(size + 1)}"), None, 0.1),
    }
    if bare:
        # A group that asks for nothing is known by what it requires.
        fields["required"] = frozenset(random.sample(TRAITS, 1))
        fields["in_tree"] = None
    try:
        return ResourceGroup(**fields)
    except InvalidRequest:
        return group_of(random, size, bare=bare)


def request_of(random: Random, size: int) -> dict[str, Any]:
    """Return what a search takes, by keyword."""
    groups: dict[str, ResourceGroup] = {}
    if random.random() < 0.6:
        groups[""] = group_of(random, size)
    least = 0 if groups else 1
    suffixes = [f"_{number}" for number in range(random.choice([least, least, 1, 2, 3]))]
    same = group_of(random, size)
    for suffix in suffixes:
        groups[suffix] = same if random.random() < 0.4 else group_of(random, size)
    near: tuple[frozenset[str], ...] = ()
    if suffixes and random.random() < 0.5:
        if random.random() < 0.5:
            suffixes.append("_above")
            groups["_above"] = group_of(random, size, bare=True)
        near = (some(random, suffixes, 0.7) | {suffixes[-1]},)
    rarely = [frozenset[str]()] * 4
    return {
        "groups": groups,
        "group_policy": random.choice(["none", "isolate"]),
        "root_required": random.choice([*rarely, some(random, TRAITS[:1], 1)]),
        "root_forbidden": random.choice([*rarely, some(random, TRAITS[1:2], 1)]),
        "same_subtree": near,
    }


def _places(random: Random) -> frozenset[str]:
    return frozenset(uid(letter) for letter in random.sample(LETTERS, random.choice([1, 2])))


def copied(forest: Forest, times: int) -> Forest:
    """Return a forest in which every provider stands that many times more, with the same places."""
    grown = Forest()
    for number in range(times + 1):
        for item in forest.providers.values():
            above = [one.name for one in forest.providers.values() if one.uuid == item.parent_uuid]
            grown.add(
                f"{item.name}{'c' * number}",
                item.stocks,
                under=f"{above[0]}{'c' * number}" if above else None,
                traits=item.traits,
                aggregates="".join(letter for letter in LETTERS if uid(letter) in item.aggregates),
            )
    return grown


def without_trees(request: dict[str, Any]) -> dict[str, Any]:
    """Return a request as it could be made before clients knew of trees (below 1.29)."""
    groups = {
        str(int(suffix[1:]) + 1) if suffix else "": ResourceGroup(
            resources=group.resources,
            required=group.required,
            forbidden=group.forbidden,
            member_of=group.member_of,
        )
        for suffix, group in request["groups"].items()
        if group.resources
    }
    return {"groups": groups, "group_policy": request["group_policy"]}
