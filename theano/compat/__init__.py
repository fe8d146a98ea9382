"""Names that programs for Python 2 and 3 at once imported from here."""

import builtins as builtins
import configparser as configparser

from theano._src.ground.public import public as _public

__getattr__ = _public(
    __name__,
    """
    builtins: ifilter=filter imap=map izip=zip next
    collections: OrderedDict
    collections.abc: Callable Iterable Mapping MutableMapping ValuesView
        DictMixin=MutableMapping
    importlib: reload
    io: BytesIO
    operator: truediv operator_div=truediv
    theano._src.legacy.python2: PY3 DefaultOrderedDict b cmp decode decode_iter decode_with
        exc_message get_unbound_function
    theano.compat: python2x six
    """,
)
