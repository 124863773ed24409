"""nova 34's own report client works against the served app."""

from __future__ import annotations

import json
import subprocess
from pathlib import Path

import pytest

from tests import peers
from tests.served import served

VERSION = "34.0.0"
TIMEOUT_S = 240


@pytest.mark.timeout(1200)
def test_nova_makes_trees_claims_moves_and_deletes(tmp_path: Path) -> None:
    python = peers.interpreter("nova", "nova", VERSION)
    with served(tmp_path) as url:
        done = subprocess.run(
            [python, "-m", "tests.nova_client.steps", url],
            cwd=peers.ROOT,
            capture_output=True,
            text=True,
            check=False,
            timeout=TIMEOUT_S,
        )
    assert done.returncode == 0, done.stderr[-6000:]
    found = json.loads(done.stdout.splitlines()[-1])
    assert found.pop("stale_tree").startswith("A conflict was encountered")
    assert len(found.pop("tree_again")) == 3
    assert len(found.pop("claim")) == 2
    assert found == {
        "tree": 3,
        "aggregate": True,
        "candidates": "1.36",
        "claim_twice_at_once": "AllocationUpdateFailed",
        "move_to_migration": True,
        "claim_on_other_host": True,
        "grow_and_shrink": True,
        "put_back": True,
        "usages": {"cores": 2, "ram": 1024},
        "reshape": ["DISK_GB"],
        "delete_allocations": [True, False, False],
        "delete_providers": True,
    }
