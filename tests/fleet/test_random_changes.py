"""Random changes, applied one by one: a fleet is always what its providers are."""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import replace
from random import Random

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from scheduler_lib.fleet import Fleet, StaticKey
from scheduler_lib.model.inventory import Inventory
from scheduler_lib.model.provider import (
    COMPUTE_STATUS_DISABLED,
    HostFacts,
    Provider,
    ProviderChanged,
    ProviderRemoved,
    Stock,
    UsageChanged,
)
from tests.fleet.builders import uid

CLASSES = ("VCPU", "MEMORY_MB", "CUSTOM_GPU")
TRAITS = ("HW_A", "HW_B", COMPUTE_STATUS_DISABLED)
AGGREGATES = tuple(uid(letter) for letter in "ABC")
NAMES = tuple("hgfedcba")

KEYS = (
    StaticKey(),
    StaticKey(enabled_only=True),
    StaticKey(zone="east", required=frozenset({"HW_A"})),
    StaticKey(zone="nova", forbidden=frozenset({"HW_A"})),
    StaticKey(any_of=(frozenset({"HW_A", "HW_B"}),), member_of=(frozenset(AGGREGATES[:2]),)),
    StaticKey(forbidden_aggregates=frozenset(AGGREGATES[:1]), enabled_only=True),
)


class Model:
    """The same fleet, kept as whole providers."""

    def __init__(self) -> None:
        self.providers: dict[str, Provider] = {}

    def copy(self) -> Model:
        twin = Model()
        twin.providers = dict(self.providers)
        return twin

    def use(self, uuid: str, name: str, used: int) -> None:
        provider = self.providers[uuid]
        stock = replace(provider.stocks[name], used=used)
        self.providers[uuid] = replace(provider, stocks={**provider.stocks, name: stock})

    def hosts(self, key: StaticKey) -> list[Provider]:
        found = [item for item in self.providers.values() if item.facts and self._in(item, key)]
        return sorted(found, key=lambda item: (item.facts.host, item.facts.node))

    @staticmethod
    def _in(item: Provider, key: StaticKey) -> bool:
        about = item.facts
        on = not (about.disabled or about.forced_down or COMPUTE_STATUS_DISABLED in item.traits)
        return (
            (on or not key.enabled_only)
            and key.zone in (None, about.availability_zone or "nova")
            and key.required <= item.traits
            and not key.forbidden & item.traits
            and all(choice & item.traits for choice in key.any_of)
            and all(choice & item.aggregates for choice in key.member_of)
            and not key.forbidden_aggregates & item.aggregates
        )


class Driver:
    """Draws changes and writes them to both sides."""

    def __init__(self, seed: int) -> None:
        self.random = Random(seed)
        self.model = Model()
        self.fleet = Fleet()

    def step(self) -> None:
        draw = self.random.random()
        if draw < 0.35 or not self.model.providers:
            self._put()
        elif draw < 0.7:
            self._use()
        elif draw < 0.85:
            self._consume(self.fleet, self.model)
        else:
            self._remove()

    def consume(self, fleet: Fleet, model: Model) -> None:
        self._consume(fleet, model)

    def _put(self) -> None:
        random = self.random
        name = random.choice(NAMES)
        old = self.model.providers.get(uid(name))
        if old is not None and random.random() < 0.7:
            self._write(self._changed(old))
            return
        if old is None:
            parents = [item for item in self.model.providers.values() if item.name != name]
            parent = random.choice([None, *parents])
            blank = Provider(uid(name), name, uid(name) if parent is None else parent.root_uuid)
            blank = replace(blank, parent_uuid=None if parent is None else parent.uuid)
            self._write(self._whole(blank))
        else:
            self._write(self._whole(old))

    def _whole(self, item: Provider) -> Provider:
        random = self.random
        host = item.parent_uuid is None and random.random() < 0.85
        return replace(
            item,
            stocks={name: self._stock() for name in CLASSES if random.random() < 0.7},
            traits=self._some(TRAITS, 0.3),
            aggregates=self._some(AGGREGATES, 0.4),
            facts=self._facts(item.name) if host else None,
        )

    def _changed(self, item: Provider) -> Provider:
        part = self.random.choice(["stocks", "traits", "aggregates", "facts"])
        whole = self._whole(item)
        if part == "facts" and item.parent_uuid is not None:
            return item
        return replace(item, **{part: getattr(whole, part)})

    def _stock(self) -> Stock:
        random = self.random
        total = random.choice([4, 8, 8])
        inventory = Inventory(
            total,
            reserved=random.choice([0, 1]),
            max_unit=random.choice([2, total]),
            step_size=random.choice([1, 2]),
            allocation_ratio=random.choice([1.0, 1.5]),
        )
        return Stock(inventory, random.randint(0, 3))

    def _facts(self, name: str) -> HostFacts:
        random = self.random
        return HostFacts(
            host=random.choice([name, f"x{name}"]),
            node=name,
            numbers={key: float(random.randint(0, 2)) for key in self._some(("vcpus", "io"), 0.5)},
            texts={key: random.choice("pq") for key in self._some(("stats", "cpu_info"), 0.5)},
            availability_zone=random.choice([None, "east", "nova"]),
            disabled=random.random() < 0.2,
            disabled_reason=random.choice([None, "broken"]),
            forced_down=random.random() < 0.2,
            last_seen_up=random.choice([None, 1.0, 2.0]),
        )

    def _some(self, names: tuple[str, ...], odds: float) -> frozenset[str]:
        return frozenset(name for name in names if self.random.random() < odds)

    def _write(self, provider: Provider) -> None:
        self.model.providers[provider.uuid] = provider
        self.fleet.apply([ProviderChanged(provider)])

    def _use(self) -> None:
        for uuid, name, _ in self._pick(self.model):
            used = self.random.randint(0, 9)
            self.model.use(uuid, name, used)
            self.fleet.apply([UsageChanged(uuid, name, used)])

    def _consume(self, fleet: Fleet, model: Model) -> None:
        amounts = [
            (uuid, name, self.random.choice([-1, 1, 2])) for uuid, name, _ in self._pick(model)
        ]
        fleet.consume(amounts)
        for uuid, name, amount in amounts:
            model.use(uuid, name, model.providers[uuid].stocks[name].used + amount)

    def _pick(self, model: Model) -> list[tuple[str, str, Stock]]:
        every = [
            (item.uuid, name, stock)
            for item in model.providers.values()
            for name, stock in item.stocks.items()
        ]
        return self.random.sample(every, min(2, len(every)))

    def _remove(self) -> None:
        victim = self.random.choice(list(self.model.providers.values()))
        gone = [victim.uuid]
        for item in self.model.providers.values():
            line = item.parent_uuid
            while line is not None:
                if line == victim.uuid:
                    gone.append(item.uuid)
                line = self.model.providers[line].parent_uuid
        self.random.shuffle(gone)
        self.fleet.apply(ProviderRemoved(uuid) for uuid in gone)
        for uuid in gone:
            del self.model.providers[uuid]


def check(fleet: Fleet, model: Model) -> None:
    check_providers(fleet, model)
    for key in KEYS:
        check_class(fleet, model, key)
    assert fleet.host_count == sum(item.facts is not None for item in model.providers.values())


def check_providers(fleet: Fleet, model: Model) -> None:
    for item in model.providers.values():
        row = fleet.row(item.uuid)
        assert (fleet.uuid(row), fleet.name(row)) == (item.uuid, item.name)
        assert fleet.uuid(fleet.root(row)) == item.root_uuid
        parent = fleet.parent(row)
        assert (fleet.uuid(parent) if parent >= 0 else None) == item.parent_uuid
        assert (fleet.traits(row), fleet.aggregates(row)) == (item.traits, item.aggregates)
        assert fleet.facts(row) == item.facts
        if item.parent_uuid is None:
            members = [one for one in model.providers.values() if one.root_uuid == item.uuid]
            assert {fleet.uuid(one) for one in fleet.tree(row)} == {one.uuid for one in members}
        assert dict(_stocks(fleet, row)) == item.stocks


def _stocks(fleet: Fleet, row: int) -> Iterator[tuple[str, Stock]]:
    for name in CLASSES:
        stock = fleet.stock(name)
        if stock is None or row not in stock.rows:
            continue
        slot = stock.slot(row)
        total, reserved, capacity = stock.total[slot], stock.reserved[slot], stock.capacity[slot]
        assert stock.free[slot] == capacity - stock.used[slot]
        ratio = next(
            ratio
            for ratio in (1.0, 1.5)
            if Inventory(int(total), int(reserved), allocation_ratio=ratio).capacity == capacity
        )
        shape = (stock.min_unit, stock.max_unit, stock.step_size)
        numbers = [int(column[slot]) for column in shape]
        yield (
            name,
            Stock(Inventory(int(total), int(reserved), *numbers, ratio), int(stock.used[slot])),
        )


def check_class(fleet: Fleet, model: Model, key: StaticKey) -> None:
    members = fleet.hosts(key)
    wanted = model.hosts(key)
    assert [members.uuid(place) for place in range(len(members))] == [one.uuid for one in wanted]
    assert [members.host(place) for place in range(len(members))] == [
        (one.facts.host, one.facts.node) for one in wanted
    ]
    assert [members.zone(place) for place in range(len(members))] == [
        one.facts.availability_zone or "nova" for one in wanted
    ]
    counts = members.counts
    assert [count.after for count in counts[:-1]] == [count.before for count in counts[1:]]
    if counts:
        assert (counts[0].before, counts[-1].after) == (fleet.host_count, len(members))
    places = members.positions(members.rows)
    assert places.tolist() == list(range(len(members)))
    for name in CLASSES:
        stocks = [one.stocks.get(name) for one in wanted]
        assert members.free(name).tolist() == [
            -1 if one is None else one.inventory.capacity - one.used for one in stocks
        ]
        assert members.capacity(name).tolist() == [
            -1 if one is None else one.inventory.capacity for one in stocks
        ]
        assert members.spare(name).tolist() == [
            -1 if one is None else one.inventory.total - one.inventory.reserved - one.used
            for one in stocks
        ]
        allows = members.allows(name, 3)
        for place, one in enumerate(stocks):
            if one is not None:
                assert (allows is None or bool(allows[place])) == one.inventory.allows(3)
    for column in ("vcpus", "io", "unheard_of"):
        numbers = [one.facts.numbers.get(column, math.nan) for one in wanted]
        np.testing.assert_array_equal(members.number(column), numbers)
    sent = [one.facts.last_seen_up for one in wanted if one.facts.last_seen_up is not None]
    span = (min(sent), max(sent)) if sent else (math.nan, math.nan)
    np.testing.assert_array_equal(members.heartbeat_span, span)
    beats = [one.facts.last_seen_up for one in wanted]
    np.testing.assert_array_equal(
        members.last_seen_up, [math.nan if beat is None else beat for beat in beats]
    )
    assert members.any_heartbeat or all(beat is None for beat in beats)


@settings(max_examples=60, deadline=None)
@given(st.integers(0, 2**32))
def test_changes_one_by_one_give_what_the_providers_say(seed: int) -> None:
    driver = Driver(seed)
    for _ in range(40):
        driver.step()
        if driver.random.random() < 0.5:
            check(driver.fleet, driver.model)
    check(driver.fleet, driver.model)
    anew = Fleet()
    anew.apply(ProviderChanged(item) for item in driver.model.providers.values())
    check(anew, driver.model)


@settings(max_examples=60, deadline=None)
@given(st.integers(0, 2**32))
def test_a_view_keeps_its_moment_and_its_consumption_stays_in_it(seed: int) -> None:
    driver = Driver(seed)
    views: list[tuple[Fleet, Model]] = []
    for _ in range(40):
        driver.step()
        if driver.random.random() < 0.3:
            check(driver.fleet, driver.model)
        if driver.random.random() < 0.2:
            whole: list[tuple[Fleet, Model]] = [(driver.fleet, driver.model), *views]
            base, model = driver.random.choice(whole)
            views.append((base.view(), model.copy()))
        if views and driver.random.random() < 0.5:
            driver.consume(*driver.random.choice(views))
        if views and driver.random.random() < 0.3:
            check(*driver.random.choice(views))
        if len(views) > 3:
            views.pop(driver.random.randrange(len(views)))
    for view, model in views:
        check(view, model)
    check(driver.fleet, driver.model)


@settings(max_examples=40, deadline=None)
@given(st.integers(0, 2**32))
def test_the_order_in_which_providers_arrive_and_leave_does_not_matter(seed: int) -> None:
    driver = Driver(seed)
    for _ in range(25):
        driver.step()
    arriving = list(driver.model.providers.values())
    driver.random.shuffle(arriving)
    fleet = Fleet()
    fleet.apply(ProviderChanged(item) for item in arriving)
    check(fleet, driver.model)
    driver.random.shuffle(arriving)
    fleet.apply(ProviderRemoved(item.uuid) for item in arriving)
    assert fleet.host_count == 0
    assert all(not fleet.stock(name) for name in CLASSES if fleet.knows_class(name))
    fleet.apply(ProviderChanged(item) for item in reversed(arriving))
    check(fleet, driver.model)


@pytest.mark.parametrize("count", [3, 100, 5000])
def test_many_changes_between_two_reads_are_all_seen(count: int) -> None:
    fleet = Fleet()
    uuids = [uid(f"h{number}") for number in range(40)]
    for number, uuid in enumerate(uuids):
        name = f"h{number:02}"
        about = HostFacts(name, name, {}, {})
        stocks = {"VCPU": Stock(Inventory(10**6))}
        fleet.apply([ProviderChanged(Provider(uuid, name, uuid, stocks=stocks, facts=about))])
    members = fleet.hosts(StaticKey())
    assert set(members.free("VCPU")) == {10**6}
    used = dict.fromkeys(uuids, 0)
    for number in range(count):
        # Each host has a span of its own, so that none is written about again later.
        uuid = uuids[number * len(uuids) // count]
        used[uuid] += 1
        fleet.consume([(uuid, "VCPU", 1)])
    assert members.free("VCPU").tolist() == [10**6 - used[uuid] for uuid in uuids]
