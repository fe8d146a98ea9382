"""``urllib2`` of Python 2: three modules of today in one."""

from urllib.error import *
from urllib.parse import *
from urllib.request import *
