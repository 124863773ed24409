"""How a server has to be configured for a file: one word each.

``default``: noauth2; the role admin may do everything, others nothing (``enforce_new_defaults`` is
False). ``secure-rbac``: the new default rules. ``open-policy``: every rule is ``@``, all but
``admin_api``. ``cors``: as default, with an allowed origin and an allowed header.
"""

PROFILES = ("default", "secure-rbac", "open-policy", "cors")
