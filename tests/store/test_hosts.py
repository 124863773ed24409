"""Hosts and providers as callers read them, and how they go."""

from __future__ import annotations

import pytest

from scheduler_lib.exceptions import HostInUse, HostNotFound, ProviderNotFound
from tests.store.conftest import Desk


def test_a_host_is_read_with_all_it_has(desk: Desk) -> None:
    gpu = {"name": "gpu", "inventories": {"VGPU": {"total": 2}}, "traits": ["CUSTOM_A"]}
    desk.report("h1", "n1", vcpus=4, cpu_info={"a": 1}, children=[gpu], traits=["CUSTOM_B"])
    desk.claim("gpu", VGPU=1)
    host = desk.get("h1", "n1")
    assert host["uuid"] == desk.uuid("n1")
    assert host["cpu_info"] == {"a": 1}
    assert host["traits"] == ["CUSTOM_B"]
    assert host["inventories"]["VCPU"]["total"] == 4  # type: ignore[index]
    (child,) = host["children"]  # type: ignore[misc]
    assert (child["name"], child["traits"], child["children"]) == ("gpu", ["CUSTOM_A"], [])
    assert child["inventories"]["VGPU"]["used"] == 1


def test_hosts_are_listed_by_name(desk: Desk) -> None:
    for host, node in (("b", "1"), ("a", "2"), ("B", "3"), ("a", "0")):
        desk.report(host, node, vcpus=1, children=[{"name": f"c{node}"}])
    listed = desk.store.hosts.list(desk.deadline())
    names = [(row["host"], row["hypervisor_hostname"]) for row in listed]
    assert names == [("B", "3"), ("a", "0"), ("a", "2"), ("b", "1")]
    assert listed == [desk.get(host, node) for host, node in names]  # type: ignore[arg-type]


def test_an_unknown_host_is_named(desk: Desk) -> None:
    for ask in (desk.get, desk.delete):
        with pytest.raises(HostNotFound) as caught:
            ask("nobody")
        assert caught.value.fields == {"host": "nobody", "node": "nobody"}


def test_a_deleted_host_leaves_nothing(desk: Desk) -> None:
    nested = [{"name": "c", "traits": ["CUSTOM_A"], "inventories": {"VGPU": {"total": 1}}}]
    desk.report("h1", vcpus=1, children=nested, traits=["CUSTOM_A"])
    desk.release(desk.claim("c", VGPU=1))
    desk.delete("h1")
    assert desk.providers() == {}
    assert desk.store.hosts.list(desk.deadline()) == []
    assert desk.discrepancies() == []


@pytest.mark.parametrize("provider", ["h1", "c"])
def test_a_host_in_use_stays(desk: Desk, provider: str) -> None:
    nested = [{"name": "c", "inventories": {"VCPU": {"total": 1}}}]
    desk.report("h1", vcpus=1, children=nested)
    consumer = desk.claim(provider, VCPU=1)
    with pytest.raises(HostInUse) as caught:
        desk.delete("h1")
    assert caught.value.fields["consumers"] == (consumer,)
    assert set(desk.providers()) == {"h1", "c"}
    desk.release(consumer)
    desk.delete("h1")


def test_a_tree_is_found_by_any_of_its_providers(desk: Desk) -> None:
    desk.report("h1", children=[{"name": "a", "children": [{"name": "b"}]}])
    desk.report("h2")
    trees = [desk.store.providers.tree(key, desk.deadline()) for key in ("h1", "b", desk.uuid("a"))]
    assert [[p.name for p in tree] for tree in trees] == [["h1", "a", "b"]] * 3


def test_a_uuid_means_the_provider_it_belongs_to(desk: Desk) -> None:
    desk.report("h1")
    uuid = desk.uuid("h1")
    desk.report(uuid)
    assert desk.store.providers.get(uuid, desk.deadline()).name == "h1"


def test_an_unknown_provider_is_named(desk: Desk) -> None:
    for ask in (desk.store.providers.get, desk.store.providers.tree):
        with pytest.raises(ProviderNotFound) as caught:
            ask("nobody", desk.deadline())
        assert caught.value.fields == {"provider": "nobody"}
