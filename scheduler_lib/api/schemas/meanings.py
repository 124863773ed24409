"""What fields of bodies mean, by name, for the API's document.

They are not in the schemas themselves: whoever sends a wrong body is shown the schema.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

FIELDS: Final[Mapping[str, str]] = {
    "name": "The new name.",
    "uuid": "Its uuid; without one, it gets one.",
    "parent_provider_uuid": "The provider it hangs under; null for none. Left out, the parent "
    "stays; before 1.37 a parent could only be given to a provider without one.",
    "resource_provider_generation": "The provider's generation as it was read. Where an inventory "
    "is added, it is not looked at.",
    "resource_class": "Of what.",
    "inventories": "All that the provider has then.",
    "total": "How much there is.",
    "reserved": "How much of it is for nobody; 0. Less than total; since 1.26 at most total.",
    "min_unit": "The least that one consumer may hold; 1.",
    "max_unit": "The most that one consumer may hold; 2147483647.",
    "step_size": "What one consumer holds is a multiple of it; 1.",
    "allocation_ratio": "How often it may be given; 1.0.",
    "traits": "All that the provider has then.",
    "aggregates": "All that the provider is in then.",
    "allocations": "All that is held then; since 1.28, {} for nothing.",
    "resources": "Whole units by resource class.",
    "generation": "Not looked at: what was shown may be sent back.",
    "project_id": "Whose it is.",
    "user_id": "Whose it is.",
    "consumer_generation": "The consumer's generation as it was read; null for one that must hold "
    "nothing yet.",
    "mappings": "Not looked at: a candidate may be sent as it is.",
    "consumer_type": "What the consumer is, for sums: INSTANCE, MIGRATION.",
}
