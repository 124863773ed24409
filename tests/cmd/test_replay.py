"""A recorded cluster, from its files to its figures."""

from __future__ import annotations

import csv
from pathlib import Path

import pytest

from tests.cmd.conftest import KEYS, Command

TRACE = Path(__file__).parents[3] / "shared" / "trace"

NODES = """\
sn,cpu_milli,memory_mib,gpu,model
n1,8000,16384,2,T4
n2,8000,16384,1,P100
"""
TASKS = """\
name,cpu_milli,memory_mib,num_gpu,gpu_milli,gpu_spec,qos,pod_phase,creation_time,deletion_time,scheduled_time
whole,1000,1024,2,1000,T4,LS,Running,0,100,0
part,1000,1024,1,400,,LS,Running,10,50,10
again,1000,1024,1,500,P100|G3,LS,Running,20,,20
early,1000,1024,1,300,T4,LS,Running,30,,30
cpu,8000,1024,0,0,,LS,Running,40,60,40
late,1000,1024,1,700,T4,LS,Running,200,,200
"""


@pytest.fixture
def files(tmp_path: Path) -> tuple[str, ...]:
    nodes, tasks = tmp_path / "nodes.csv", tmp_path / "tasks.csv"
    nodes.write_text(NODES)
    tasks.write_text(TASKS)
    return ("replay", "--nodes", str(nodes), "--tasks", str(tasks), "-f", "json")


def test_history_places_refuses_and_releases(command: Command, files: tuple[str, ...]) -> None:
    figures = command(*files).json
    assert list(figures)[: len(KEYS)] == KEYS
    # `early` and `cpu` come while `whole` holds both T4s and a CPU of each node is taken.
    assert (figures["placed"], figures["refused"]) == (4, 2)
    assert sum(figures["reasons"].values()) == 2
    assert figures["balanced"] is True
    # When the last has come, `again` holds 500 and `late` 700 of 3000.
    assert figures["gpu_allocation_percent"] == 40.0
    assert figures["cpu_allocation_percent"] == 12.5
    assert figures["peak_gpu_allocation_percent"] == pytest.approx(96.67)
    assert figures["p99_us"] >= figures["p50_us"] > 0
    assert figures["decisions_per_s"] > 0
    told = figures["mode"], figures["policy"], figures["seeds"]
    assert told == ("history", "fragmentation", [42])


def test_placements_name_the_host_and_the_gpus(
    command: Command, files: tuple[str, ...], tmp_path: Path
) -> None:
    out = tmp_path / "out.csv"
    assert command(*files, "--placements", str(out)).code == 0
    with out.open(newline="") as file:
        rows = {row["task"]: row for row in csv.DictReader(file)}
    assert list(rows) == ["whole", "part", "again", "early", "cpu", "late"]
    assert (rows["whole"]["host"], rows["whole"]["gpus"]) == ("n1", "0|1")
    assert (rows["again"]["host"], rows["again"]["gpus"]) == ("n2", "0")
    assert (rows["early"]["host"], rows["early"]["gpus"]) == ("", "")
    assert rows["early"]["reason"]
    assert {row["seed"] for row in rows.values()} == {"42"}


@pytest.mark.parametrize("policy", ["pack", "spread", "random", "fragmentation"])
def test_every_policy_keeps_the_books_in_both_modes(
    command: Command, files: tuple[str, ...], policy: str
) -> None:
    for mode in ("history", "inflate"):
        figures = command(*files, "--mode", mode, "--policy", policy).json
        assert figures["balanced"] is True
        assert (figures["mode"], figures["policy"]) == (mode, policy)


def test_several_seeds_give_means_and_each_ones_figures(
    command: Command, files: tuple[str, ...]
) -> None:
    figures = command(*files, "--mode", "inflate", "--seeds", "3", "--seed-start", "7").json
    assert list(figures)[: len(KEYS)] == KEYS
    assert figures["seeds"] == [7, 8, 9]
    each = [one["gpu_allocation_percent"] for one in figures["per_seed"]]
    assert figures["gpu_allocation_percent"] == pytest.approx(sum(each) / 3, abs=0.01)


def test_the_same_seed_places_the_same(
    command: Command, files: tuple[str, ...], tmp_path: Path
) -> None:
    texts = []
    for name in ("one.csv", "two.csv"):
        out = tmp_path / name
        assert command(*files, "--mode", "inflate", "--placements", str(out)).code == 0
        texts.append(out.read_text())
    assert texts[0] == texts[1]


def test_a_broken_row_stops_it_with_file_and_line(command: Command, files: tuple[str, ...]) -> None:
    tasks = Path(files[4])
    tasks.write_text(TASKS + "broken,1000,many,0,0,,LS,Running,1,2,1\n")
    done = command(*files)
    assert (done.code, done.out) == (1, "")
    assert f"{tasks}, line 8:" in done.err
    assert "--skip-bad-rows" in done.err


def test_broken_rows_are_left_out_and_counted_on_demand(
    command: Command, files: tuple[str, ...]
) -> None:
    Path(files[4]).write_text(TASKS + "broken,1000,many,0,0,,LS,Running,1,2,1\n")
    done = command(*files, "--skip-bad-rows")
    assert done.json["skipped_rows"] == 1
    assert (done.json["placed"], done.json["refused"]) == (4, 2)
    assert "line 8" in done.err


def test_a_database_of_ones_own_is_used_once(
    command: Command, files: tuple[str, ...], url: str
) -> None:
    assert command("--connection", url, *files).json["balanced"] is True
    hosts = command("--connection", url, "host", "list", "-f", "json").json
    assert [item["host"] for item in hosts] == ["n1", "n2"]
    again = command("--connection", url, *files)
    assert again.code == 1
    assert "has hosts already" in again.err


def test_several_seeds_need_a_database_each(
    command: Command, files: tuple[str, ...], url: str
) -> None:
    done = command("--connection", url, *files, "--seeds", "2")
    assert (done.code, done.err.count("\n")) == (1, 1)


@pytest.mark.skipif(not TRACE.is_dir(), reason="the recorded cluster's files are not there")
def test_the_whole_recorded_cluster_ends_with_every_book_balanced(command: Command) -> None:
    figures = command(
        "replay", "-f", "json",
        "--nodes", str(TRACE / "openb_node_list_gpu_node.csv"),
        "--tasks", str(TRACE / "openb_pod_list_default.csv"),
    ).json  # fmt: skip
    assert figures["placed"] + figures["refused"] == 8152
    assert sum(figures["reasons"].values()) == figures["refused"]
    assert figures["balanced"] is True
