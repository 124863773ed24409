"""The Placement API over HTTP: the same books and the same search, for the rest of a cloud.

In: WSGI requests. Out: OpenStack Placement's answers, microversions 1.0 to 1.39. Nothing is decided
here: handlers read a request, ask the store, the fleet and the search, and write an answer.

=================  ===========================================================================
``wsgi``           the application that a WSGI server imports
``app``            ``create_app(conf)``
``operations``     which method of which path is what, since which microversion, for whom (data)
``versions``       what each microversion brought (data)
``schemas``        JSON schemas of bodies and query strings (data)
``policies``       rules, with Placement's names and defaults (data)
``handlers``       one module a noun
``middleware``     what stands around the handlers: request ids, authentication, the log
=================  ===========================================================================

Only this room knows HTTP.
"""
