"""The rules, under Placement's names, with its defaults."""

from __future__ import annotations

from collections.abc import Mapping

from oslo_policy import policy

_REASON = "Rules know the roles service and reader since Placement 6.0.0; before, role:admin ruled."
_BEFORE = policy.DeprecatedRule(
    name="rule:admin_api",
    check_str="role:admin",
    deprecated_reason=_REASON,
    deprecated_since="6.0.0",
)
_PROJECT = ["project"]

ADMIN_OR_SERVICE = "rule:admin_or_service_api"
SERVICE = "rule:service_api"
READER = "rule:admin_or_project_reader_or_service_api"

# Name, check string, what it is for, scopes, and whether the rule of before still counts.
_BASES = (
    ("admin_api", "role:admin", "Administrators.", _PROJECT, False),
    ("service_api", "role:service", "Other services.", _PROJECT, True),
    (
        "admin_or_service_api",
        "role:admin or role:service",
        "Administrators, and other services.",
        _PROJECT,
        True,
    ),
    (
        "project_reader_api",
        "role:reader and project_id:%(project_id)s",
        "Readers of a project, for what belongs to it.",
        None,
        True,
    ),
    (
        "admin_or_project_reader_or_service_api",
        "role:admin or rule:project_reader_api or role:service",
        "Administrators, other services, and readers of the project.",
        _PROJECT,
        True,
    ),
)

_PROVIDERS = "/resource_providers"
_PROVIDER = "/resource_providers/{uuid}"

# Noun, then: action, method, path, what it allows.
_ACTIONS = (
    ("resource_providers", (
        ("list", "GET", _PROVIDERS, "List resource providers."),
        ("create", "POST", _PROVIDERS, "Create a resource provider."),
        ("show", "GET", _PROVIDER, "Show a resource provider."),
        ("update", "PUT", _PROVIDER, "Rename or move a resource provider."),
        ("delete", "DELETE", _PROVIDER, "Delete a resource provider."),
    )),
    ("resource_classes", (
        ("list", "GET", "/resource_classes", "List resource classes."),
        ("create", "POST", "/resource_classes", "Create a resource class."),
        ("show", "GET", "/resource_classes/{name}", "Show a resource class."),
        ("update", "PUT", "/resource_classes/{name}", "Create or rename a resource class."),
        ("delete", "DELETE", "/resource_classes/{name}", "Delete a resource class."),
    )),
    ("resource_providers:inventories", (
        ("list", "GET", f"{_PROVIDER}/inventories", "List a provider's inventories."),
        ("create", "POST", f"{_PROVIDER}/inventories", "Add an inventory."),
        ("show", "GET", f"{_PROVIDER}/inventories/{{resource_class}}", "Show an inventory."),
        ("update", "PUT", f"{_PROVIDER}/inventories", "Set inventories, all or one."),
        ("delete", "DELETE", f"{_PROVIDER}/inventories", "Delete inventories, all or one."),
    )),
    ("resource_providers:aggregates", (
        ("list", "GET", f"{_PROVIDER}/aggregates", "List a provider's aggregates."),
        ("update", "PUT", f"{_PROVIDER}/aggregates", "Set a provider's aggregates."),
    )),
    ("resource_providers", (
        ("usages", "GET", f"{_PROVIDER}/usages", "Show what is used of a provider."),
    )),
    ("traits", (
        ("list", "GET", "/traits", "List traits."),
        ("show", "GET", "/traits/{name}", "Ask whether a trait exists."),
        ("update", "PUT", "/traits/{name}", "Create a trait."),
        ("delete", "DELETE", "/traits/{name}", "Delete a trait."),
    )),
    ("resource_providers:traits", (
        ("list", "GET", f"{_PROVIDER}/traits", "List a provider's traits."),
        ("update", "PUT", f"{_PROVIDER}/traits", "Set a provider's traits."),
        ("delete", "DELETE", f"{_PROVIDER}/traits", "Take all traits off a provider."),
    )),
    ("allocations", (
        ("manage", "POST", "/allocations", "Write the allocations of several consumers."),
        ("list", "GET", "/allocations/{consumer_uuid}", "Show a consumer's allocations."),
        ("update", "PUT", "/allocations/{consumer_uuid}", "Write a consumer's allocations."),
        ("delete", "DELETE", "/allocations/{consumer_uuid}", "Delete a consumer's allocations."),
    )),
    ("resource_providers:allocations", (
        ("list", "GET", f"{_PROVIDER}/allocations", "Show who holds what of a provider."),
    )),
    ("allocation_candidates", (
        ("list", "GET", "/allocation_candidates", "Ask who can give what."),
    )),
)  # fmt: skip


def rules(overrides: Mapping[str, str]) -> list[policy.RuleDefault]:
    """Return every rule.

    :param overrides: check strings that replace a rule's own, by name; ``*`` for all but
        ``admin_api``.
    """
    return [_replaced(rule, overrides) for rule in (*_bases(), *_documented())]


def list_rules() -> list[policy.RuleDefault]:
    """Return every rule: what the entry point ``oslo.policy.policies`` promises."""
    return rules({})


def _bases() -> list[policy.RuleDefault]:
    return [
        policy.RuleDefault(
            name,
            check,
            description=told,
            scope_types=scopes,
            deprecated_rule=_BEFORE if before else None,
        )
        for name, check, told, scopes, before in _BASES
    ]


def _documented() -> list[policy.RuleDefault]:
    made = [
        _rule(f"placement:{noun}:{action}", ADMIN_OR_SERVICE, told, method, path)
        for noun, actions in _ACTIONS
        for action, method, path, told in actions
    ]
    usages = "Show what is used of a project."
    reshape = "Change inventories and allocations together."
    return [
        *made,
        _rule("placement:usages", READER, usages, "GET", "/usages"),
        _rule("placement:reshaper:reshape", SERVICE, reshape, "POST", "/reshaper"),
    ]


def _rule(name: str, check: str, told: str, method: str, path: str) -> policy.RuleDefault:
    operations: list[policy.Operation] = [{"method": method, "path": path}]
    return policy.DocumentedRuleDefault(name, check, told, operations, scope_types=_PROJECT)


def _replaced(rule: policy.RuleDefault, overrides: Mapping[str, str]) -> policy.RuleDefault:
    check = overrides.get(rule.name)
    if check is None and rule.name != "admin_api":
        check = overrides.get("*")
    return rule if check is None else policy.RuleDefault(rule.name, check)
