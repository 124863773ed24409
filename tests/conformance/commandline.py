"""The command: options in, a table out."""
# ruff: noqa: T201 - a command prints

from __future__ import annotations

import argparse
import dataclasses
import json
import sys
import warnings
from collections.abc import Sequence
from pathlib import Path

from tests.conformance import files
from tests.conformance.profiles import PROFILES
from tests.conformance.running import FILE_TIMEOUT_S, FileResult, run_file
from tests.conformance.targets import AppTarget, ServeTarget, Target, UrlTarget, load

COUNTS = ("tests", "passed", "failed", "errors", "skipped")
ROW = "{:46} {:12} {:>5} {:>5} {:>5} {:>5} {:>5} {:>7}"


def main(arguments: Sequence[str] | None = None) -> int:
    """Run the files; 0 when all that ran passed."""
    options = _options(arguments)
    warnings.simplefilter("ignore")
    try:
        folder = Path(options.gabbits) if options.gabbits else files.upstream_folder()
        paths = files.select(folder, options.only, options.skip)
    except files.NoFiles as error:
        sys.exit(str(error))
    if options.list:
        print(files.listing(paths))
        return 0
    results = _run(paths, _target(options), options)
    return _conclude(results, options)


def _options(arguments: Sequence[str] | None) -> argparse.Namespace:
    parser = argparse.ArgumentParser(
        prog="python -m tests.conformance",
        description="Run openstack-placement's own gabbi files against a compatible server.",
    )
    which = parser.add_mutually_exclusive_group(required=True)
    which.add_argument(
        "--app",
        metavar="MODULE:CALLABLE",
        help="gives a fresh WSGI app; may take profile=..., may return (app, cleanup)",
    )
    which.add_argument(
        "--serve", metavar="COMMAND", help="started once a file; {port} and {profile} are filled in"
    )
    which.add_argument("--url", action="append", metavar="[PROFILE=]URL", help="a running server")
    which.add_argument("--list", action="store_true", help="list the files, and stop")
    parser.add_argument("--profiles", help=f"those the target has, of {','.join(PROFILES)}")
    parser.add_argument("--connection", help="with --app: given to the callable as connection=...")
    parser.add_argument("--wipe", action="store_true", help="with --url: EMPTY it before each file")
    parser.add_argument("--reset-cmd", help="with --url: a command run before each file")
    parser.add_argument("--prefix", default="", help="with --app: the path it is mounted below")
    parser.add_argument("--gabbits", help="a folder of files")
    parser.add_argument("--only", action="append", default=[], metavar="GLOB")
    parser.add_argument("--skip", action="append", default=[], metavar="GLOB")
    parser.add_argument("--file-timeout", type=int, default=FILE_TIMEOUT_S, metavar="SECONDS")
    parser.add_argument("--show", type=int, default=0, metavar="N", help="print N failures a file")
    parser.add_argument("--json", metavar="FILE", help="write all results here")
    parser.add_argument(
        "--min-pass", type=float, metavar="PERCENT", help="enough for exit code 0; default: all"
    )
    parser.add_argument("--quiet", action="store_true", help="the last line only")
    return parser.parse_args(arguments)


def _target(options: argparse.Namespace) -> Target:
    profiles = tuple(options.profiles.split(",")) if options.profiles else None
    if options.app:
        given = {"connection": options.connection} if options.connection else {}
        return AppTarget(load(options.app), profiles, **given)
    if options.serve:
        return ServeTarget(options.serve, profiles)
    return UrlTarget(options.url, profiles, empties=options.wipe, reset_command=options.reset_cmd)


def _run(paths: Sequence[Path], target: Target, options: argparse.Namespace) -> list[FileResult]:
    results = []
    if not options.quiet:
        print(ROW.format("file", "profile", "tests", "pass", "fail", "error", "skip", "secs"))
    for path in paths:
        result = run_file(path, target, prefix=options.prefix, timeout_s=options.file_timeout)
        results.append(result)
        if not options.quiet:
            print(_row(result), result.skip_reason, flush=True)
        for bad in result.bad[: options.show]:
            print(f"    {bad.kind.upper()}: {bad.test}")
            for line in bad.message.splitlines()[:8]:
                print("        " + line[:200])
    return results


def _row(result: FileResult) -> str:
    counts = [getattr(result, name) for name in COUNTS]
    return ROW.format(result.file, result.profile, *counts, f"{result.seconds:.2f}")


def _conclude(results: Sequence[FileResult], options: argparse.Namespace) -> int:
    total = {name: sum(getattr(result, name) for result in results) for name in COUNTS}
    ran = total["tests"] - total["skipped"]
    share = 100.0 * total["passed"] / ran if ran else 0.0
    if not options.quiet:
        seconds = sum(result.seconds for result in results)
        print(ROW.format(f"TOTAL {len(results)} files", "", *total.values(), f"{seconds:.1f}"))
    print(
        f"{total['passed']} of {ran} run tests pass ({share:.2f}%), {total['skipped']} skipped; "
        f"{sum(result.clean for result in results)} of {len(results)} files fully pass"
    )
    if options.json:
        told = [dataclasses.asdict(result) for result in results]
        text = json.dumps({"total": total, "share": share, "files": told}, indent=1)
        Path(options.json).write_text(text, encoding="utf-8")
    if options.min_pass is not None:
        return 0 if ran and share >= options.min_pass else 1
    return 0 if ran and total["passed"] == ran else 1
