"""What stands around the handlers, each a WSGI application around another.

In: a request as the server hands it over. Out: the same request with an id, a caller and a log line
to it. Outside in: proxy headers, request ids and the log, the healthcheck, CORS, authentication.
"""
