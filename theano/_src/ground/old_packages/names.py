"""Tables of removed names and their replacements.

A source is ``module:name``, a module, or a ``Gone`` with a remedy. It is looked up when a program
uses the name, so no table imports a library.
"""

from __future__ import annotations

from dataclasses import dataclass

__all__ = ["BUILTINS", "METHODS", "MODULES", "NAMES", "Gone", "Source"]


@dataclass(frozen=True)
class Gone:
    """A name that can be imported; calling it raises an error with the remedy."""

    remedy: str


Source = str | Gone

_OURS = "theano._src.ground.old_packages"
_HERE = f"{_OURS}.substitutes"


def _same(module: str, names: str) -> dict[str, Source]:
    return {name: f"{module}:{name}" for name in names.split()}


def _renamed(module: str, pairs: str) -> dict[str, Source]:
    """Map old names to new names of ``module``; ``pairs`` are ``old=new``."""
    split = (pair.split("=") for pair in pairs.split())
    return {old: f"{module}:{new}" for old, new in split}


def _gone(names: str, remedy: str) -> dict[str, Source]:
    return dict.fromkeys(names.split(), Gone(remedy))


_IMAGES = "SciPy no longer reads or writes images: use imageio.v3.imread and imwrite, or Pillow"
_PICTURES = "the pictures are in scipy.datasets, which downloads them with the package pooch"
_BOSTON = (
    "scikit-learn removed this data set; sklearn.datasets.fetch_california_housing is another, and "
    "fetch_openml(name='boston', version=1) downloads the old one"
)
_MLDATA = "mldata.org is gone: use sklearn.datasets.fetch_openml, as in fetch_openml('mnist_784')"

#: removed names, by module
NAMES: dict[str, dict[str, Source]] = {
    # Python 3
    "collections": _same(
        "collections.abc",
        "Awaitable Coroutine AsyncIterable AsyncIterator AsyncGenerator Hashable Iterable Iterator "
        "Generator Reversible Sized Container Callable Collection Set MutableSet Mapping "
        "MutableMapping MappingView KeysView ItemsView ValuesView Sequence MutableSequence "
        "ByteString",
    ),
    "inspect": _same(_HERE, "ArgSpec getargspec formatargspec"),
    "base64": _renamed("base64", "encodestring=encodebytes decodestring=decodebytes"),
    "fractions": _same("math", "gcd"),
    "logging": _renamed("logging", "warn=warning"),
    "time": _same(_HERE, "clock"),
    "unittest": _same(_HERE, "makeSuite"),
    # Python 2
    "itertools": _renamed("builtins", "izip=zip imap=map ifilter=filter")
    | _renamed("itertools", "izip_longest=zip_longest ifilterfalse=filterfalse"),
    "operator": _renamed("builtins", "isCallable=callable")
    | _renamed(f"{_OURS}.python2", "div=divide"),
    "os": _renamed("os", "getcwdu=getcwd") | {"errno": "errno"},
    "string": _renamed(
        "string", "letters=ascii_letters lowercase=ascii_lowercase uppercase=ascii_uppercase"
    )
    | _same(_HERE, "join maketrans")
    | _renamed("builtins", "atoi=int atof=float"),
    "sys": _renamed("sys", "maxint=maxsize"),
    "urllib": _same("urllib.parse", "quote quote_plus unquote unquote_plus urlencode")
    | _same("urllib.request", "urlopen urlretrieve"),
    "types": _renamed(
        "builtins",
        "StringType=str UnicodeType=str IntType=int LongType=int FloatType=float BooleanType=bool "
        "ListType=list TupleType=tuple DictType=dict ComplexType=complex ClassType=type "
        "TypeType=type ObjectType=object",
    )
    | _same(_HERE, "StringTypes"),
    # NumPy 2
    "numpy": _renamed(
        "builtins",
        "float=float int=int object=object str=str complex=complex unicode=str "
        "issubclass_=issubclass",
    )
    | _renamed(
        "numpy",
        "float_=float64 complex_=complex128 singlecomplex=complex64 cfloat=complex128 "
        "longfloat=longdouble longcomplex=clongdouble clongfloat=clongdouble unicode_=str_ "
        "string_=bytes_ str0=str_ bytes0=bytes_ object0=object_ void0=void bool8=bool_ int0=intp "
        "uint0=uintp Inf=inf Infinity=inf infty=inf PINF=inf NaN=nan product=prod "
        "cumproduct=cumprod sometrue=any alltrue=all round_=round rank=ndim row_stack=vstack "
        "mat=asmatrix trapz=trapezoid typeDict=sctypeDict",
    )
    | _same(
        _HERE,
        "NINF NZERO PZERO MachAr alen asfarray asscalar cast find_common_type in1d issctype "
        "issubsctype loads msort nbytes obj2sctype safe_eval sctype2char sctypes",
    )
    | _same(
        "numpy.exceptions",
        "AxisError ComplexWarning ModuleDeprecationWarning RankWarning TooHardError "
        "VisibleDeprecationWarning",
    )
    | _same("numpy.lib.npyio", "DataSource")
    | _same("numpy.lib.array_utils", "byte_bounds")
    | _gone("set_string_function", "use numpy.set_printoptions(formatter=...)")
    | _gone("lookfor source who", "search the documentation of NumPy, or use inspect.getsource"),
    "numpy.random": _same(_HERE, "random_integers"),
    "numpy.testing": {
        "Tester": f"{_HERE}:Tester",
        "rand": "numpy.random:rand",
        "dec": f"{_OURS}.stand_ins.numpy_decorators",
        "decorators": f"{_OURS}.stand_ins.numpy_decorators",
    },
    # SciPy
    "scipy": {"*": "numpy"}  # any other name
    | _same("numpy.random", "rand randn")
    | _same("numpy.lib.scimath", "sqrt log log2 logn log10 power arccos arcsin arctanh"),
    "scipy.integrate": _renamed(
        "scipy.integrate", "trapz=trapezoid cumtrapz=cumulative_trapezoid simps=simpson"
    ),
    "scipy.interpolate": _gone("interp2d", "use scipy.interpolate.RectBivariateSpline or griddata"),
    "scipy.linalg": _same("numpy", "tri tril triu kron") | _renamed("scipy.linalg", "pinv2=pinv"),
    "scipy.misc": _same("scipy.special", "logsumexp factorial factorial2 factorialk comb")
    | _same(_HERE, "derivative central_diff_weights")
    | _gone("imread imsave imresize imrotate imshow imfilter bytescale toimage fromimage", _IMAGES)
    | _gone("face ascent electrocardiogram lena", _PICTURES),
    "scipy.signal": _same(
        "scipy.signal.windows",
        "barthann bartlett blackman blackmanharris bohman boxcar chebwin cosine exponential "
        "flattop gaussian general_gaussian hamming hann kaiser nuttall parzen triang tukey",
    )
    | _renamed("scipy.signal.windows", "hanning=hann"),
    "scipy.special": _same(_HERE, "sph_harm"),
    "scipy.stats": _same(_HERE, "binom_test chisqprob itemfreq"),
    # scikit-learn
    "sklearn.cross_validation": _same(
        "sklearn.model_selection",
        "cross_val_predict cross_val_score permutation_test_score train_test_split",
    ),
    "sklearn.datasets": _gone("load_boston", _BOSTON) | _gone("fetch_mldata", _MLDATA),
    "sklearn.decomposition": _gone("RandomizedPCA", "use PCA(svd_solver='randomized')"),
    "sklearn.metrics": _renamed("sklearn.metrics", "calinski_harabaz_score=calinski_harabasz_score")
    | _gone("jaccard_similarity_score", "use accuracy_score, or jaccard_score with an average"),
    "sklearn.preprocessing": _gone("Imputer", "use sklearn.impute.SimpleImputer"),
    "sklearn.utils.extmath": _same("scipy.special", "logsumexp")
    | _renamed("numpy", "fast_dot=dot"),
    "sklearn.utils.fixes": _same("collections.abc", "Sequence Iterable Mapping Sized"),
    # matplotlib
    "matplotlib.cbook": _same("numpy", "iterable"),
    "matplotlib.cm": _same(_HERE, "get_cmap register_cmap"),
    "matplotlib.mlab": _same(_HERE, "normpdf"),
    "matplotlib.pyplot": _same(_HERE, "hold ishold register_cmap"),
    # pandas
    "pandas": _same("pandas.plotting", "scatter_matrix")
    | _same("datetime", "datetime")
    | {"np": "numpy"}
    | _gone("Panel", "pandas has no panels: use a DataFrame with a MultiIndex, or xarray"),
}

#: removed methods and properties: ``module:class`` -> name -> source
METHODS: dict[str, dict[str, Source]] = {
    "h5py:Dataset": _same(_HERE, "value"),
    "h5py:File": _same(_HERE, "fid"),
    "matplotlib.axes:Axes": _renamed(
        "matplotlib.axes", "set_axis_bgcolor=Axes.set_facecolor get_axis_bgcolor=Axes.get_facecolor"
    )
    | _same(_HERE, "hold"),
    "pandas:DataFrame": _renamed("pandas", "iteritems=DataFrame.items")
    | _renamed(_HERE, "as_matrix=as_matrix append=append_rows"),
    "pandas:Series": _renamed("pandas", "iteritems=Series.items as_matrix=Series.to_numpy")
    | _renamed(_HERE, "append=append_rows"),
    "threading:Thread": _renamed("threading", "isAlive=Thread.is_alive"),
    "unittest:TestCase": _renamed(
        "unittest",
        "assert_=TestCase.assertTrue assertEquals=TestCase.assertEqual "
        "assertNotEquals=TestCase.assertNotEqual assertItemsEqual=TestCase.assertCountEqual "
        "assertAlmostEquals=TestCase.assertAlmostEqual "
        "assertNotAlmostEquals=TestCase.assertNotAlmostEqual "
        "assertRaisesRegexp=TestCase.assertRaisesRegex "
        "assertRegexpMatches=TestCase.assertRegex "
        "assertNotRegexpMatches=TestCase.assertNotRegex "
        "failUnless=TestCase.assertTrue failIf=TestCase.assertFalse",
    ),
}

#: removed modules, and their replacements
MODULES: dict[str, str] = {
    # Python 3
    "imp": f"{_OURS}.stand_ins.imp",
    "pipes": "shlex",
    "pkg_resources": f"{_OURS}.stand_ins.pkg_resources",
    "xml.etree.cElementTree": "xml.etree.ElementTree",
    # Python 2
    "__builtin__": "builtins",
    "cPickle": f"{_OURS}.stand_ins.python2_pickle",
    "cStringIO": "io",
    "commands": "subprocess",
    "ConfigParser": "configparser",
    "cookielib": "http.cookiejar",
    "copy_reg": "copyreg",
    "exceptions": "builtins",
    "HTMLParser": "html.parser",
    "httplib": "http.client",
    "Queue": "queue",
    "StringIO": "io",
    "thread": "_thread",
    "Tkinter": "tkinter",
    "urllib2": "urllib.request",
    "urlparse": "urllib.parse",
    # NumPy and SciPy
    "numpy.core.umath_tests": f"{_OURS}.stand_ins.umath_tests",
    "numpy.distutils": f"{_OURS}.stand_ins.numpy_distutils",
    "numpy.dual": "numpy.linalg",
    "numpy.linalg.linalg": "numpy.linalg",
    "numpy.testing.decorators": f"{_OURS}.stand_ins.numpy_decorators",
    "numpy.testing.nosetester": "numpy.testing",
    "numpy.testing.utils": "numpy.testing",
    "scipy.misc": f"{_OURS}.stand_ins.scipy_misc",
    # scikit-learn
    "sklearn.cross_validation": f"{_OURS}.stand_ins.cross_validation",
    "sklearn.datasets.base": "sklearn.datasets",
    "sklearn.datasets.samples_generator": "sklearn.datasets",
    "sklearn.externals": f"{_OURS}.stand_ins.sklearn_externals",
    "sklearn.externals.joblib": "joblib",
    "sklearn.externals.six": "six",
    "sklearn.grid_search": "sklearn.model_selection",
    "sklearn.learning_curve": "sklearn.model_selection",
    "sklearn.metrics.scorer": "sklearn.metrics._scorer",
    "sklearn.preprocessing.data": "sklearn.preprocessing._data",
    "sklearn.preprocessing.label": "sklearn.preprocessing._label",
    "sklearn.utils.testing": "sklearn.utils._testing",
    # matplotlib and pandas
    "matplotlib.docstring": "matplotlib._docstring",
    "pandas.tools": "pandas",
    "pandas.tools.plotting": "pandas.plotting",
    "pandas.util.testing": "pandas._testing",
}

#: builtins of Python 2
BUILTINS: dict[str, str] = {
    "basestring": "builtins:str",
    "cmp": f"{_HERE}:cmp",
    "execfile": f"{_HERE}:execfile",
    "long": "builtins:int",
    "raw_input": "builtins:input",
    "reduce": "functools:reduce",
    "reload": "importlib:reload",
    "unichr": "builtins:chr",
    "unicode": "builtins:str",
    "xrange": "builtins:range",
}
