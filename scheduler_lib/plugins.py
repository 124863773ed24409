"""Finding plug-ins by their entry points; the only module that knows stevedore."""

from __future__ import annotations

import difflib

from scheduler_lib.exceptions import InvalidConfiguration, PluginNotFound

NAMESPACES = (
    "scheduler_lib.query",
    "scheduler_lib.report",
    "scheduler_lib.filters",
    "scheduler_lib.weighers",
)


def names(namespace: str) -> tuple[str, ...]:
    """Return the names that are installed in an entry-point group, sorted; none is imported.

    :param namespace: the group, for example ``scheduler_lib.query``.
    """
    return tuple(sorted({name for name, _ in _entries(namespace)}))


def load(namespace: str, name: str) -> type:
    """Return the class that is installed under a name; nothing else of its group is imported.

    :param namespace: the group, for example ``scheduler_lib.query``.
    :param name: the name in the group.
    :raises PluginNotFound: when there is none, or it cannot be imported.
    :raises InvalidConfiguration: when two distributions provide different ones.
    """
    values = sorted({value for known, value in _entries(namespace) if known == name})
    if not values:
        raise _missing(namespace, name)
    if len(values) > 1:
        raise InvalidConfiguration(
            f"{namespace} has {name!r} more than once: {', '.join(values)}.",
            hint="Uninstall one of the packages that provide it.",
            field=namespace,
            name=name,
        )
    return _loaded(namespace, name, values[0])


def _entries(namespace: str) -> list[tuple[str, str]]:
    from stevedore import NamedExtensionManager  # takes 25 ms, so not before it is needed

    manager: NamedExtensionManager[object] = NamedExtensionManager(
        namespace, names=(), on_missing_entrypoints_callback=_not_missed
    )
    return [(entry.name, entry.value) for entry in manager.list_entry_points()]


def _loaded(namespace: str, name: str, value: str) -> type:
    from stevedore import NamedExtensionManager

    failures: list[BaseException] = []
    manager: NamedExtensionManager[object] = NamedExtensionManager(
        namespace,
        names=(name,),
        on_load_failure_callback=lambda _manager, _entry, error: failures.append(error),
        on_missing_entrypoints_callback=_not_missed,
    )
    # DriverManager.driver takes a falsy plug-in for none: look at the extension itself.
    found = manager.extensions[0].plugin if manager.extensions else None
    if not isinstance(found, type):
        cause = failures[0] if failures else None
        raise PluginNotFound(
            f"{namespace} {name!r} is {value}, which cannot be used: {cause or 'no class'}.",
            hint="Install what the plug-in needs, or correct its entry point.",
            namespace=namespace,
            name=name,
        ) from cause
    return found


def _missing(namespace: str, name: str) -> PluginNotFound:
    installed = names(namespace)
    near = difflib.get_close_matches(str(name), installed, n=1, cutoff=0.5)
    meant = f" Did you mean {near[0]!r}?" if near else ""
    return PluginNotFound(
        f"{namespace} has no {name!r}; installed: {', '.join(installed) or 'nothing'}.{meant}",
        namespace=namespace,
        name=name,
        installed=installed,
        nearest=near[0] if near else None,
    )


def _not_missed(missing: object) -> None:
    """Say nothing: what is missing is told by an error of ours."""
