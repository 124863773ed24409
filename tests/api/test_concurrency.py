"""Four server processes on one database, eight clients: exact, and never a 500."""

from __future__ import annotations

import uuid
from collections import Counter
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from typing import TypeVar

import pytest

from scheduler_lib.model.clock import Deadline, SystemClock
from scheduler_lib.model.settings import CapacitySettings, DatabaseSettings
from scheduler_lib.store.store import Store
from tests.api.servers import Answer, Caller, several
from tests.databases import Databases

PROCESSES, CLIENTS = 4, 8
CONFLICT = "placement.concurrent_update"

T = TypeVar("T")


class Cloud:
    """The servers, and what the clients do with them."""

    def __init__(self, urls: list[str], connection: str) -> None:
        self.urls = urls
        self.connection = connection

    def at_once(self, work: Callable[[Caller, int], T], clients: int = CLIENTS) -> list[T]:
        """Let clients work at the same time, each on a server in turn."""

        def one(number: int) -> T:
            caller = Caller(self.urls[number % len(self.urls)])
            try:
                return work(caller, number)
            finally:
                caller.close()

        with ThreadPoolExecutor(clients) as pool:
            return list(pool.map(one, range(clients)))

    def provider(self, total: int) -> str:
        """Make a provider with so many VCPUs."""
        caller = Caller(self.urls[0])
        made = caller.send("POST", "/resource_providers", {"name": str(uuid.uuid4())})
        inventories = {"VCPU": {"total": total}}
        path = f"/resource_providers/{made.json['uuid']}/inventories"
        body = {"resource_provider_generation": 0, "inventories": inventories}
        assert caller.send("PUT", path, body).status == 200
        caller.close()
        return str(made.json["uuid"])

    def used(self, provider: str) -> int:
        caller = Caller(self.urls[-1])
        found = caller.send("GET", f"/resource_providers/{provider}/usages").json["usages"]["VCPU"]
        caller.close()
        return int(found)

    def total(self, path: str) -> int:
        caller = Caller(self.urls[-1])
        found = caller.send("GET", path).json["total"]
        caller.close()
        return int(found)

    def balanced(self) -> bool:
        store = Store(DatabaseSettings(self.connection), CapacitySettings(), SystemClock())
        with store:
            return store.books.check(Deadline.after(30.0, SystemClock())) == ()


@pytest.fixture(scope="module", params=["postgresql", "mariadb"])
def cloud(
    request: pytest.FixtureRequest,
    databases: Databases,
    tmp_path_factory: pytest.TempPathFactory,
) -> Iterator[Cloud]:
    folder = tmp_path_factory.mktemp("cloud")
    connection = databases.url(request.param, folder)
    with several(PROCESSES, connection, folder) as urls:
        yield Cloud(urls, connection)


def claim(caller: Caller, provider: str, amount: int = 1) -> Answer:
    body = {
        "allocations": {provider: {"resources": {"VCPU": amount}}},
        "project_id": "p", "user_id": "u", "consumer_generation": None, "consumer_type": "TEST",
    }  # fmt: skip
    return caller.send("PUT", f"/allocations/{uuid.uuid4()}", body)


def test_exactly_the_slots_of_a_hot_provider_are_filled(cloud: Cloud) -> None:
    provider = cloud.provider(150)

    def work(caller: Caller, number: int) -> list[Answer]:
        return [claim(caller, provider) for _ in range(25)]

    answers = [answer for found in cloud.at_once(work) for answer in found]
    assert Counter(answer.status for answer in answers) == {204: 150, 409: 50}
    assert all("exceed the capacity" in each.detail for each in answers if each.status == 409)
    assert cloud.used(provider) == 150
    assert cloud.balanced()


def test_claims_on_different_providers_are_never_refused(cloud: Cloud) -> None:
    providers = [cloud.provider(200) for _ in range(10)]

    def work(caller: Caller, number: int) -> list[int]:
        return [claim(caller, providers[(number + turn) % 10]).status for turn in range(25)]

    statuses = Counter(status for found in cloud.at_once(work) for status in found)
    assert statuses == {204: 200}
    assert sum(map(cloud.used, providers)) == 200
    assert cloud.balanced()


def test_no_update_of_an_inventory_is_lost(cloud: Cloud) -> None:
    provider = cloud.provider(10)
    path = f"/resource_providers/{provider}/inventories/VCPU"

    def work(caller: Caller, number: int) -> int:
        added, conflicts = 0, 0
        while added < 10:
            found = caller.send("GET", path).json
            generation = found["resource_provider_generation"]
            body = {"resource_provider_generation": generation, "total": found["total"] + 1}
            answer = caller.send("PUT", path, body)
            added += answer.status == 200
            conflicts += answer.status == 409
            assert answer.status == 200 or answer.json["errors"][0]["code"] == CONFLICT
        return conflicts

    assert sum(cloud.at_once(work)) > 0
    assert cloud.total(path) == 10 + CLIENTS * 10


def test_of_many_who_write_one_new_consumer_one_succeeds(cloud: Cloud) -> None:
    provider = cloud.provider(100)
    consumers = [str(uuid.uuid4()) for _ in range(10)]

    def work(caller: Caller, number: int) -> list[int]:
        body = {
            "allocations": {provider: {"resources": {"VCPU": 1}}},
            "project_id": f"p{number}", "user_id": "u", "consumer_generation": None,
            "consumer_type": "TEST",
        }  # fmt: skip
        return [caller.send("PUT", f"/allocations/{each}", body).status for each in consumers]

    for statuses in zip(*cloud.at_once(work), strict=True):
        assert Counter(statuses) == {204: 1, 409: CLIENTS - 1}
    assert cloud.used(provider) == 10
    assert cloud.balanced()


def test_a_swap_between_two_full_providers_works_both_ways_at_once(cloud: Cloud) -> None:
    ends = [cloud.provider(4), cloud.provider(4)]

    def fill(caller: Caller, number: int) -> str:
        consumer = str(uuid.uuid4())
        body = held(ends[number % 2], None)
        assert caller.send("PUT", f"/allocations/{consumer}", body).status == 204
        return consumer

    consumers = cloud.at_once(fill)

    def swap(caller: Caller, number: int) -> None:
        one, other = consumers[number], consumers[number + 1]
        here, there = ends if number % 4 == 0 else reversed(ends)
        for turn in range(10):
            here, there = there, here
            both = {one: held(here, turn + 1), other: held(there, turn + 1)}
            answer = caller.send("POST", "/allocations", both)
            assert answer.status == 204, answer.json

    cloud.at_once(lambda caller, number: swap(caller, number * 2), clients=CLIENTS // 2)
    assert [cloud.used(provider) for provider in ends] == [4, 4]
    assert cloud.balanced()


def held(provider: str, generation: int | None) -> dict[str, object]:
    return {
        "allocations": {provider: {"resources": {"VCPU": 1}}},
        "project_id": "p", "user_id": "u", "consumer_generation": generation,
        "consumer_type": "TEST",
    }  # fmt: skip


def test_who_did_not_make_a_change_sees_it_in_the_next_request(cloud: Cloud) -> None:
    ask = "/allocation_candidates?resources=VCPU:7000"
    callers = [Caller(url) for url in cloud.urls]
    for caller in callers:
        assert caller.send("GET", ask).json["allocation_requests"] == []
    provider = cloud.provider(8000)
    for caller in callers:
        found = caller.send("GET", ask).json["allocation_requests"]
        assert [list(each["allocations"]) for each in found] == [[provider]]
    assert claim(callers[1], provider, 2000).status == 204
    for caller in callers:
        assert caller.send("GET", ask).json["allocation_requests"] == []
        caller.close()
