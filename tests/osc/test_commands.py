"""Every command of osc-placement 4.9 works against the served app."""

from __future__ import annotations

import pytest

from tests.osc.conftest import Client, Said

pytestmark = pytest.mark.timeout(1200)

RP = "11111111-1111-1111-1111-111111111111"
CHILD = "11111111-1111-1111-1111-111111111112"
AGGREGATE = "22222222-2222-2222-2222-222222222222"
CONSUMER = "33333333-3333-3333-3333-333333333333"
OWNERS = "--project-id p1 --user-id u1 --consumer-type INSTANCE"
PROVIDER = "resource provider"


def all_well(said: list[Said]) -> list[Said]:
    assert not [item for item in said if item.code]
    return said


def built(client: Client) -> None:
    all_well(
        client.run(
            f"{PROVIDER} create cn1 --uuid {RP}",
            f"{PROVIDER} inventory set {RP} --resource VCPU=8 --resource VCPU:allocation_ratio=4.0"
            " --resource MEMORY_MB=16384 --resource MEMORY_MB:reserved=512 --resource DISK_GB=500",
            "trait create CUSTOM_GOLD",
            f"{PROVIDER} trait set {RP} --trait HW_CPU_X86_AVX2 --trait CUSTOM_GOLD",
            f"{PROVIDER} aggregate set {RP} --aggregate {AGGREGATE} --generation 2",
        )
    )


def test_one_command_as_a_process_of_its_own(client: Client) -> None:
    said = client.program(f"{PROVIDER} create cn1 --uuid {RP} -f json")
    assert said.code == 0, said.error
    assert said.json["uuid"] == RP
    again = client.program(f"{PROVIDER} create cn1 --uuid {RP} -f json")
    assert again.code == 1
    assert "already exists" in again.error


def test_providers(client: Client) -> None:
    made, child, renamed, shown, listed, _, gone = client.run(
        f"{PROVIDER} create cn1 --uuid {RP} -f json",
        f"{PROVIDER} create cn1_numa0 --uuid {CHILD} --parent-provider {RP} -f json",
        f"{PROVIDER} set {CHILD} --name numa -f json",
        f"{PROVIDER} show {CHILD} --allocations -f json",
        f"{PROVIDER} list --in-tree {CHILD} -f json",
        f"{PROVIDER} delete {CHILD}",
        f"{PROVIDER} show {CHILD}",
    )
    assert made.json == {
        "uuid": RP,
        "name": "cn1",
        "generation": 0,
        "root_provider_uuid": RP,
        "parent_provider_uuid": None,
    }
    assert child.json["root_provider_uuid"] == RP
    assert renamed.json["name"] == "numa"
    assert shown.json["allocations"] == {}
    assert {item["name"] for item in listed.json} == {"cn1", "numa"}
    assert gone.code == 1
    assert CHILD in gone.error


def test_inventories(client: Client) -> None:
    built(client)
    listed, shown, changed, _, rest, _, nothing = client.run(
        f"{PROVIDER} inventory list {RP} -f json",
        f"{PROVIDER} inventory show {RP} VCPU -f json",
        f"{PROVIDER} inventory class set {RP} VCPU --total 16 --max_unit 4 -f json",
        f"{PROVIDER} inventory delete {RP} --resource-class DISK_GB",
        f"{PROVIDER} inventory set {RP} --amend --resource VCPU:reserved=2 -f json",
        f"{PROVIDER} inventory delete {RP}",
        f"{PROVIDER} inventory list {RP} -f json",
    )
    assert {item["resource_class"] for item in listed.json} == {"VCPU", "MEMORY_MB", "DISK_GB"}
    assert (shown.json["total"], shown.json["allocation_ratio"]) == (8, 4.0)
    assert (changed.json["total"], changed.json["max_unit"]) == (16, 4)
    assert {item["resource_class"]: item["reserved"] for item in rest.json} == {
        "VCPU": 2,
        "MEMORY_MB": 512,
    }
    assert nothing.json == []


def test_traits_and_aggregates(client: Client) -> None:
    built(client)
    of_provider, known, shown, aggregates, _, none, _, missing = client.run(
        f"{PROVIDER} trait list {RP} -f json",
        "trait list --name startswith:CUSTOM_ --associated -f json",
        "trait show CUSTOM_GOLD -f json",
        f"{PROVIDER} aggregate list {RP} -f json",
        f"{PROVIDER} trait delete {RP}",
        f"{PROVIDER} trait list {RP} -f json",
        "trait delete CUSTOM_GOLD",
        "trait show CUSTOM_GOLD",
    )
    assert {item["name"] for item in of_provider.json} == {"HW_CPU_X86_AVX2", "CUSTOM_GOLD"}
    assert known.json == [{"name": "CUSTOM_GOLD"}]
    assert shown.json == {"name": "CUSTOM_GOLD"}
    assert aggregates.json == [{"uuid": AGGREGATE}]
    assert none.json == []
    assert missing.code == 1


def test_resource_classes(client: Client) -> None:
    _, shown, listed, _, _, missing = client.run(
        "resource class create CUSTOM_FPGA",
        "resource class show CUSTOM_FPGA -f json",
        "resource class list -f json",
        "resource class set CUSTOM_FPGA",
        "resource class delete CUSTOM_FPGA",
        "resource class show CUSTOM_FPGA",
    )
    assert shown.json == {"name": "CUSTOM_FPGA"}
    assert {"CUSTOM_FPGA", "VCPU"} <= {item["name"] for item in listed.json}
    assert missing.code == 1
    assert "CUSTOM_FPGA" in missing.error


def test_candidates(client: Client) -> None:
    built(client)
    one, grouped, listed, wrong = client.run(
        "allocation candidate list --resource VCPU=2 --resource MEMORY_MB=2048"
        f" --required HW_CPU_X86_AVX2 --member-of {AGGREGATE} --limit 5 -f json",
        "allocation candidate list --group 1 --resource VCPU=2 --group 2 --resource DISK_GB=10"
        " --group-policy none -f json",
        f"{PROVIDER} list --resource VCPU=1 --required CUSTOM_GOLD -f json",
        "allocation candidate list --resource VCPU=2 --required CUSTOM_UNHEARD_OF",
    )
    assert [item["resource provider"] for item in one.json] == [RP]
    assert set(one.json[0]["allocation"].split(",")) == {"VCPU=2", "MEMORY_MB=2048"}
    assert set(grouped.json[0]["allocation"].split(",")) == {"VCPU=2", "DISK_GB=10"}
    assert [item["name"] for item in listed.json] == ["cn1"]
    assert wrong.code == 1
    assert "CUSTOM_UNHEARD_OF" in wrong.error


def test_claims_and_usages(client: Client) -> None:
    built(client)
    claimed, shown, used, total, too_much, shrunk, _, after = client.run(
        f"{PROVIDER} allocation set {CONSUMER} --allocation rp={RP},VCPU=2"
        f" --allocation rp={RP},MEMORY_MB=2048 {OWNERS} -f json",
        f"{PROVIDER} allocation show {CONSUMER} -f json",
        f"{PROVIDER} usage show {RP} -f json",
        "resource usage show p1 -f json",
        f"{PROVIDER} allocation set {CONSUMER} --allocation rp={RP},VCPU=33 {OWNERS}",
        f"{PROVIDER} allocation unset {CONSUMER} --provider {RP} --resource-class VCPU -f json",
        f"{PROVIDER} allocation delete {CONSUMER}",
        f"{PROVIDER} allocation show {CONSUMER} -f json",
    )
    held = {"VCPU": 2, "MEMORY_MB": 2048}
    assert [item["resources"] for item in claimed.json] == [held]
    assert [item["resources"] for item in shown.json] == [held]
    assert shown.json[0]["consumer_type"] == "INSTANCE"
    assert {item["resource_class"]: item["usage"] for item in used.json} == {**held, "DISK_GB": 0}
    assert {item["resource_class"]: item["usage"] for item in total.json} == {
        "INSTANCE": {**held, "consumer_count": 1}
    }
    assert too_much.code == 1
    assert "Unable to allocate inventory" in too_much.error
    assert [item["resources"] for item in shrunk.json] == [{"MEMORY_MB": 2048}]
    assert after.json == []


def test_a_provider_that_is_used_cannot_be_deleted(client: Client) -> None:
    built(client)
    _, refused, _, gone = client.run(
        f"{PROVIDER} allocation set {CONSUMER} --allocation rp={RP},VCPU=1 {OWNERS}",
        f"{PROVIDER} delete {RP}",
        f"{PROVIDER} allocation delete {CONSUMER}",
        f"{PROVIDER} delete {RP}",
    )
    assert refused.code == 1
    assert "Unable to delete resource provider" in refused.error
    assert gone.code == 0


def test_the_client_finds_a_version_that_both_know(client: Client) -> None:
    made, listed = client.run(
        f"{PROVIDER} create cn1 --uuid {RP} -f json",
        f"{PROVIDER} list -f json",
        version=None,
    )
    assert made.code == 0, made.error
    assert [item["uuid"] for item in listed.json] == [RP]
