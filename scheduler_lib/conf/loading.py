"""Making a ``ConfigOpts``: registered, read, and checked to the last value."""

from __future__ import annotations

import contextlib
import io
import math
import os
from collections.abc import Mapping, Sequence

from oslo_config import cfg

from scheduler_lib.conf.groups import DEFAULT
from scheduler_lib.conf.opts import list_opts
from scheduler_lib.conf.paths import default_state_path
from scheduler_lib.exceptions import InvalidConfiguration

PROJECT = "scheduler_lib"


def load(
    args: Sequence[str] = (),
    config_files: Sequence[str | os.PathLike[str]] = (),
    *,
    environment: Mapping[str, str] = os.environ,
) -> cfg.ConfigOpts:
    """Return a ``ConfigOpts`` of its own with every option registered and every value checked.

    No file is looked for: what is not named is not read.

    :param args: command-line arguments in oslo.config's form, for example
        ``["--config-file", "x.conf"]``.
    :param config_files: files that are read in this order, later ones winning.
    :param environment: where ``XDG_STATE_HOME`` is looked up.
    :raises InvalidConfiguration: for a file that cannot be read or parsed, an unknown argument, or
        a value that its option does not allow.
    """
    conf = cfg.ConfigOpts()
    register(conf, environment=environment)
    files = [os.fspath(path) for path in config_files]
    said = io.StringIO()
    try:
        # oslo.config leaves through SystemExit and has argparse print to stderr.
        with contextlib.redirect_stderr(said):
            conf(
                list(args),
                project=PROJECT,
                default_config_files=files,
                default_config_dirs=[],
                use_env=False,
            )
    except SystemExit as error:
        if not error.code:
            raise
        reason = said.getvalue().strip().rpartition("\n")[2]
        raise InvalidConfiguration(
            f"Arguments that cannot be read: {reason}", field="args"
        ) from error
    except cfg.Error as error:
        raise _translated(error) from error
    except (OSError, UnicodeDecodeError) as error:
        # A directory, or bytes that are no text: oslo.config lets these through as they are.
        named = ", ".join(files) or " ".join(args)
        raise _translated(
            error, where=f"A configuration file of {named} cannot be read: "
        ) from error
    check(conf)
    return conf


def register(conf: cfg.ConfigOpts, *, environment: Mapping[str, str] = os.environ) -> None:
    """Register every option on a ``ConfigOpts`` that the caller owns.

    :param conf: any object but oslo.config's global one.
    :param environment: where ``XDG_STATE_HOME`` is looked up.
    """
    for group, options in list_opts():
        conf.register_opts(options, group=None if group == DEFAULT else group)
    # A `$` of a directory's name is no reference to another option.
    conf.set_default("state_path", default_state_path(environment).replace("$", "$$"))


def check(conf: cfg.ConfigOpts) -> None:
    """Read every value once, so that a wrong one is told before anything is done.

    :raises InvalidConfiguration: naming the option.
    """
    for group, options in list_opts():
        holder = conf if group == DEFAULT else conf[group]
        for option in options:
            try:
                value = getattr(holder, option.dest)
            except (cfg.Error, ValueError) as error:
                where = f"[{group}] {option.dest}: "
                raise _translated(error, f"{group}.{option.dest}", where) from error
            if isinstance(value, float) and not math.isfinite(value):
                raise InvalidConfiguration(
                    f"[{group}] {option.dest} must be finite, not {value}.",
                    field=f"{group}.{option.dest}",
                )


def _translated(
    error: Exception, field: str = "config_files", where: str = ""
) -> InvalidConfiguration:
    text = where + " ".join(str(error).split())
    return InvalidConfiguration(text if text.endswith(".") else f"{text}.", field=field)


def default_config_files() -> list[str]:
    """Return the configuration files that OpenStack's commands would find for this project."""
    return list(cfg.find_config_files(project=PROJECT, prog=PROJECT))
