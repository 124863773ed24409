"""Nova's forms of a request, read into ours.

In: the dictionaries of the Juno release, or a RequestSpec as a versioned-object primitive or as any
object with the same attributes; both only read, never changed. Out: a ``Request``. Fields that
older code did not write have their documented defaults; a wrong value raises ``InvalidRequest``
naming the field.
"""
