"""Many at once, through the public door: never one over, never a false refusal."""

import json
import subprocess
import sys
import threading

import pytest

from scheduler_lib.exceptions import NoValidHost
from scheduler_lib.testing import a_host, a_request

ROUNDS = 5


def at_once(*works):
    """Run the works in threads that begin together, and give what each returned."""
    barrier = threading.Barrier(len(works))
    outcomes = [None] * len(works)
    errors = []

    def run(index):
        barrier.wait(30)
        try:
            outcomes[index] = works[index]()
        except Exception as error:  # noqa: BLE001 - raised again below, in the test's thread
            errors.append(error)

    threads = [threading.Thread(target=run, args=(index,)) for index in range(len(works))]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    if errors:
        raise ExceptionGroup("threads", errors)
    return outcomes


def asking(client, count, **resources):
    """Return a work that asks for one instance after another: (placed, refused)."""

    def work():
        placed = refused = 0
        for _ in range(count):
            try:
                client.select(None, a_request(**resources).build())
                placed += 1
            except NoValidHost:
                refused += 1
        return placed, refused

    return work


def test_r01_one_slot_has_one_taker(make_client, database_url, used):
    client = make_client(database_url)
    for number in range(ROUNDS):
        host = f"h{number}"
        a_host(host).vcpus(4).report(client)
        outcomes = at_once(*[asking(client, 1, VCPU=4)] * 8)
        assert sorted(outcomes) == [(0, 1)] * 7 + [(1, 0)]
        assert used(client, host) == 4


@pytest.mark.parametrize("shared", [True, False], ids=["one_client", "a_client_each"])
def test_r17_full_cluster_is_full_and_nobody_is_refused_too_early(
    make_client, database_url, used, shared
):
    first = make_client(database_url)
    clients = [first, *(first if shared else make_client(database_url) for _ in range(2))]
    for index in range(10):
        a_host(f"h{index}").vcpus(10).report(first)
    outcomes = at_once(*[asking(client, 60, VCPU=1) for client in clients])
    assert (sum(item[0] for item in outcomes), sum(item[1] for item in outcomes)) == (100, 80)
    assert [used(first, f"h{index}") for index in range(10)] == [10] * 10


def test_several_instances_at_once_are_placed_whole_or_not_at_all(make_client, database_url, used):
    client = make_client(database_url)
    for index in range(4):
        a_host(f"h{index}").vcpus(6).report(client)

    def work():
        try:
            return len(client.select(None, a_request(VCPU=2).instances(3).build()).selections)
        except NoValidHost:
            return 0

    outcomes = at_once(*[work] * 6)
    assert sorted(outcomes) == [0, 0, 3, 3, 3, 3]
    assert [used(client, f"h{index}") for index in range(4)] == [6] * 4


def test_one_request_key_at_once_is_answered_once(make_client, database_url, used):
    """P01: one claim, one answer, whoever asks again."""
    clients = [make_client(database_url) for _ in range(4)]
    a_host("h1").vcpus(1).report(clients[0])
    request = a_request(VCPU=1).build()
    works = [lambda c=client: c.select(None, request, request_key="k") for client in clients]
    decisions = at_once(*works)
    assert sorted(item.replayed for item in decisions) == [False, True, True, True]
    assert len({item.selections[0].destination.provider_uuid for item in decisions}) == 1
    assert used(clients[0], "h1") == 1


def test_coming_and_going_at_once_leaves_the_books_balanced(make_client, database_url, used):
    client = make_client(database_url)
    for index in range(3):
        a_host(f"h{index}").vcpus(4).report(client)

    def work():
        for _ in range(20):
            request = a_request(VCPU=2).build()
            client.select(None, request)
            assert client.release(None, request.consumers) == request.consumers

    assert at_once(*[work] * 6) == [None] * 6
    assert [used(client, f"h{index}") for index in range(3)] == [0, 0, 0]
    assert len(client.select(None, a_request(VCPU=2).instances(6).build()).selections) == 6


def test_reports_and_selects_at_once_never_sell_what_is_not_there(make_client, database_url, used):
    """A host that grows and shrinks while it is being filled."""
    client = make_client(database_url)
    a_host("h1").vcpus(40).report(client)

    def report():
        for vcpus in (50, 30, 45, 40) * 3:
            a_host("h1").vcpus(vcpus).report(client)

    outcomes = at_once(report, *[asking(client, 20, VCPU=1)] * 4)
    assert outcomes[0] is None
    placed = sum(item[0] for item in outcomes[1:])
    assert used(client, "h1") == placed <= 50


PROCESS = """
import json, sys, threading
from scheduler_lib import SchedulerClient, conf
from scheduler_lib.exceptions import NoValidHost
from scheduler_lib.testing import a_request

options = conf.load()
options.set_override("connection", sys.argv[1], group="database")
client = SchedulerClient(options)
client.list_resource_stats(None)
for line in sys.stdin:
    outcomes = []
    def ask():
        placed = refused = 0
        for _ in range(int(line)):
            try:
                client.select(None, a_request(VCPU=1).build())
                placed += 1
            except NoValidHost:
                refused += 1
            except Exception as error:
                outcomes.append(repr(error))
        outcomes.append([placed, refused])
    threads = [threading.Thread(target=ask) for _ in range(2)]
    for thread in threads: thread.start()
    for thread in threads: thread.join()
    print(json.dumps(outcomes), flush=True)
client.close()
"""


@pytest.fixture
def processes(database_url):
    """Start four processes, each with a client and two threads that ask when told."""
    started = [
        subprocess.Popen(
            [sys.executable, "-c", PROCESS, database_url],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            text=True,
        )
        for _ in range(4)
    ]
    yield started
    for process in started:
        process.stdin.close()
    for process in started:
        process.wait(30)
        process.stdout.close()


def test_last_slots_of_ten_hosts_are_sold_once_to_four_processes(
    make_client, database_url, processes, used
):
    """Each round every host gets one slot more, and 16 requests come from 8 threads for the 10."""
    client = make_client(database_url)
    for slots in range(1, 51):
        for index in range(10):
            a_host(f"h{index}").vcpus(slots).report(client)
        for process in processes:
            process.stdin.write("2\n")
            process.stdin.flush()
        met = [item for process in processes for item in json.loads(process.stdout.readline())]
        assert all(isinstance(item, list) for item in met), met
        assert [sum(part) for part in zip(*met, strict=True)] == [10, 6]
    assert [used(client, f"h{index}") for index in range(10)] == [50] * 10
