"""The Placement API beside openstack-placement 16.0.0: the same providers, the same requests.

In come providers described by arithmetic (``shapes``), written into the tables of both (``rows``);
out go tables for the documentation, one a subject::

    python -m benchmarks.placement candidates

Both sides are WSGI callables in this process, except for ``http``, where both stand behind
gunicorn. A side that is not installed is left out.
"""
