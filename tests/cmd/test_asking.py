"""Arguments become a request, or an error that says what is wrong."""

from __future__ import annotations

import argparse
import json
from pathlib import Path

import pytest

from scheduler_lib.cmd.asking import add_request_arguments, request_from
from scheduler_lib.exceptions import InvalidFile, InvalidRequest
from scheduler_lib.model.request import UNSUFFIXED, Request, ResourceGroup

CONSUMER = "5a1cf4bb-8d0b-4d53-9d9c-0f4e2d2a7a55"
AGGREGATE = "0e3e8a1c-6c58-4ad2-b0a5-1d7ee1c8a111"


def asked(*arguments: str) -> Request:
    parser = argparse.ArgumentParser(exit_on_error=False)
    add_request_arguments(parser)
    return request_from(parser.parse_args(arguments))


def test_plain_arguments_make_the_unsuffixed_group() -> None:
    request = asked(
        "--resource", "VCPU=2", "--resource", "MEMORY_MB=2048", "--required", "HW_CPU_X86_AVX",
        "--forbidden", "CUSTOM_SLOW", "--any-of", "CUSTOM_A,CUSTOM_B", "--member-of", AGGREGATE,
        "--availability-zone", "west", "--consumer", CONSUMER,
    )  # fmt: skip
    assert request == Request(
        groups={
            UNSUFFIXED: ResourceGroup(
                resources={"VCPU": 2, "MEMORY_MB": 2048},
                required=frozenset({"HW_CPU_X86_AVX"}),
                forbidden=frozenset({"CUSTOM_SLOW"}),
                any_of=(frozenset({"CUSTOM_A", "CUSTOM_B"}),),
                member_of=(frozenset({AGGREGATE}),),
            )
        },
        consumers=(CONSUMER,),
        availability_zone="west",
    )


def test_a_group_argument_makes_a_suffixed_group() -> None:
    request = asked(
        "--group", "gpu:VGPU=1,CUSTOM_LICENCE=2;required=T1,T2;forbidden=T3;any=T4,T5",
        "--group", f"net:SRIOV_NET_VF=1;member_of={AGGREGATE};in_tree={CONSUMER}",
        "--group-policy", "isolate",
    )  # fmt: skip
    assert request.group_policy == "isolate"
    assert request.groups == {
        "gpu": ResourceGroup(
            resources={"VGPU": 1, "CUSTOM_LICENCE": 2},
            required=frozenset({"T1", "T2"}),
            forbidden=frozenset({"T3"}),
            any_of=(frozenset({"T4", "T5"}),),
        ),
        "net": ResourceGroup(
            resources={"SRIOV_NET_VF": 1},
            member_of=(frozenset({AGGREGATE}),),
            in_tree=CONSUMER,
        ),
    }


def test_count_makes_that_many_consumers() -> None:
    assert len(set(asked("--resource", "VCPU=1", "--count", "3").consumers)) == 3


@pytest.mark.parametrize(
    "arguments",
    [
        ("--resource", "VCPU"),
        ("--resource", "VCPU=1.5"),
        ("--resource", "VCPU=-1"),
        ("--group", "VCPU=1"),
        ("--group", "a:"),
        ("--group", "a:VCPU=1;colour=red"),
        ("--group", "a:VCPU=1;required="),
        ("--count", "0"),
        ("--count", "many"),
        ("--any-of", "A,,B"),
    ],
)
def test_arguments_that_cannot_be_understood_are_refused(arguments: tuple[str, ...]) -> None:
    with pytest.raises(argparse.ArgumentError):
        asked(*arguments)


@pytest.mark.parametrize(
    "arguments",
    [
        (),
        ("--resource", "VCPU=0"),
        ("--resource", "VCPU=1", "--resource", "VCPU=2"),
        ("--resource", "VCPU=1", "--required", "T", "--forbidden", "T"),
        ("--group", "a:VCPU=1", "--group", "a:VCPU=1"),
        ("--resource", "VCPU=1", "--consumer", "me"),
    ],
)
def test_a_request_that_means_nothing_is_an_error_of_the_tree(arguments: tuple[str, ...]) -> None:
    with pytest.raises(InvalidRequest):
        asked(*arguments)


def test_a_file_holds_the_whole_request(tmp_path: Path) -> None:
    path = tmp_path / "request.json"
    path.write_text(json.dumps({"groups": {"": {"resources": {"VCPU": 2}}}}))
    request = asked("--request", str(path), "--consumer", CONSUMER)
    assert request == Request.build({"VCPU": 2}, consumers=[CONSUMER])


@pytest.mark.parametrize(
    ("text", "line"), [("{\n  nothing", 2), ("\udcff", 0)], ids=["no JSON", "no text"]
)
def test_a_file_that_cannot_be_read_is_told_by_its_line(
    tmp_path: Path, text: str, line: int
) -> None:
    path = tmp_path / "request.json"
    path.write_text(text, encoding="utf-8", errors="surrogateescape")
    with pytest.raises(InvalidFile) as caught:
        asked("--request", str(path))
    assert caught.value.fields == {"path": str(path), "line": line}


def test_a_missing_file_is_an_error_of_the_tree(tmp_path: Path) -> None:
    with pytest.raises(InvalidFile, match=r"gone\.json"):
        asked("--request", str(tmp_path / "gone.json"))
