"""Many at once: never one over, never a false refusal."""

import threading

import pytest

from scheduler_lib.exceptions import NoValidHost
from scheduler_lib.testing import a_host, a_request


def together(clients, requests):
    """Let each client work through its requests, all beginning at once; give what each met."""
    barrier = threading.Barrier(len(clients))
    outcomes = [[] for _ in clients]

    def work(client, mine, met):
        barrier.wait(30)
        for request in mine:
            try:
                met.append(client.select(None, request))
            except Exception as error:  # noqa: BLE001 - every outcome is looked at below
                met.append(error)

    threads = [
        threading.Thread(target=work, args=item)
        for item in zip(clients, requests, outcomes, strict=True)
    ]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    return [outcome for met in outcomes for outcome in met]


def sorted_out(outcomes):
    placed = [item for item in outcomes if not isinstance(item, Exception)]
    refused = [item for item in outcomes if isinstance(item, NoValidHost)]
    assert len(placed) + len(refused) == len(outcomes), outcomes
    return placed, refused


@pytest.mark.parametrize("round_", range(10))
def test_r01_one_slot_has_one_taker(make_client, used, round_):
    client = make_client()
    a_host("h1").vcpus(4).report(client)
    requests = [[a_request(VCPU=4).build()] for _ in range(8)]
    placed, refused = sorted_out(together([client] * 8, requests))
    assert (len(placed), len(refused)) == (1, 7)
    assert used(client, "h1") == 4


@pytest.mark.parametrize("shared", [True, False], ids=["one client", "a client each"])
def test_r17_full_cluster_is_full_and_nobody_is_refused_too_early(
    make_client, tmp_path, used, shared
):
    connection = f"sqlite:///{tmp_path}/r17.sqlite"
    clients = [make_client(connection)]
    clients = (
        clients * 3 if shared else [*clients, make_client(connection), make_client(connection)]
    )
    for index in range(10):
        a_host(f"h{index}").vcpus(10).report(clients[0])
    requests = [[a_request(VCPU=1).build() for _ in range(60)] for _ in clients]
    placed, refused = sorted_out(together(clients, requests))
    assert (len(placed), len(refused)) == (100, 80)
    assert [used(clients[0], f"h{index}") for index in range(10)] == [10] * 10


def test_one_request_key_at_once_is_answered_once(make_client, tmp_path, used):
    connection = f"sqlite:///{tmp_path}/keys.sqlite"
    clients = [make_client(connection) for _ in range(4)]
    a_host("h1").vcpus(1).report(clients[0])
    request = a_request(VCPU=1).build()
    barrier = threading.Barrier(4)
    decisions = []

    def ask(client):
        barrier.wait(30)
        decisions.append(client.select(None, request, request_key="k"))

    threads = [threading.Thread(target=ask, args=(client,)) for client in clients]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert sorted(item.replayed for item in decisions) == [False, True, True, True]
    assert len({item.destinations[0].provider_uuid for item in decisions}) == 1
    assert used(clients[0], "h1") == 1


def test_releases_and_selects_at_once_leave_the_books_balanced(client, used):
    for index in range(3):
        a_host(f"h{index}").vcpus(4).report(client)
    barrier = threading.Barrier(6)
    failures = []

    def come_and_go():
        barrier.wait(30)
        for _ in range(30):
            request = a_request(VCPU=2).build()
            try:
                client.select(None, request)
                assert client.release(None, request.consumers) == request.consumers
            except Exception as error:  # noqa: BLE001 - told below
                failures.append(error)

    threads = [threading.Thread(target=come_and_go) for _ in range(6)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert failures == []
    assert [used(client, f"h{index}") for index in range(3)] == [0, 0, 0]
    assert len(client.select(None, a_request(VCPU=2).instances(6).build()).selections) == 6
