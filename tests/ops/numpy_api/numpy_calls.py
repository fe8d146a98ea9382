"""A call of each function of NumPy that has a symbolic form, as text: run on arrays and on graphs.

The names in a call are those of ``ARRAYS``; ``np`` is NumPy both times.
"""

import numpy as np

_rng = np.random.default_rng(7)

ARRAYS = {
    "x": _rng.uniform(-2, 2, (3, 4)),
    "y": _rng.uniform(-2, 2, (3, 4)),
    "u": _rng.uniform(0.1, 0.9, (3, 4)),  # within the unit interval
    "v": _rng.uniform(-2, 2, 4),
    "w": _rng.uniform(0.5, 2, 4),
    "t": _rng.uniform(-1, 1, (2, 3, 4)),
    "m": _rng.uniform(-1, 1, (3, 3)) + 2 * np.eye(3),
    "s": np.array([[4.0, 1.0, 0.5], [1.0, 3.0, 0.2], [0.5, 0.2, 2.0]]),  # positive definite
    "b": _rng.uniform(-1, 1, (3, 2)),
    "g": np.array([-1.5, -0.5, 0.5, 1.5, 2.5, 0.0, -0.25]),  # halves
    "q": np.array([1.0, np.nan, -np.inf, np.inf, 0.0, -2.5, 3.0]),
    "r": np.array([2.0, 1.0, np.nan, -np.inf, 0.0, -2.5, 4.0]),
    "z": _rng.uniform(-1, 1, (2, 3)) + 1j * _rng.uniform(-1, 1, (2, 3)),
    "i": np.array([3, 0, 2, 0, 5, 3]),
    "j": np.array([1, 2, 5, 7, 2, 2]),
    "k": np.array([[0, 2], [1, 0], [3, 1]]),
    "h": np.array([True, False, True, True]),
    "o": np.array([-1.0, 0.0, 0.5, 2.0]),  # ascending
}

# fmt: off
UFUNCS = [
    "np.absolute(x)", "np.add(x, y)", "np.arccos(u)", "np.arccosh(u + 1)", "np.arcsin(u)",
    "np.arcsinh(x)", "np.arctan(x)", "np.arctan2(x, y)", "np.arctanh(u)", "np.bitwise_and(i, j)",
    "np.bitwise_or(i, j)", "np.bitwise_xor(i, j)", "np.cbrt(x)", "np.ceil(x)", "np.conjugate(z)",
    "np.copysign(x, y)", "np.cos(x)", "np.cosh(x)", "np.deg2rad(x)", "np.degrees(x)",
    "np.divide(x, y)", "np.divmod(x, u)", "np.equal(i, j)", "np.exp(x)", "np.exp2(x)",
    "np.expm1(x)", "np.fabs(x)", "np.float_power(u, x)", "np.floor(x)", "np.floor_divide(x, y)",
    "np.fmax(q, r)", "np.fmin(q, r)", "np.fmod(x, u)", "np.greater(x, y)", "np.greater_equal(i, j)",
    "np.heaviside(g, 0.3)", "np.hypot(x, y)", "np.invert(i)", "np.isfinite(q)", "np.isinf(q)",
    "np.isnan(q)", "np.ldexp(v, i[1:5])", "np.left_shift(i, j)", "np.less(x, y)",
    "np.less_equal(i, j)", "np.log(u)", "np.log10(u)", "np.log1p(u)", "np.log2(u)",
    "np.logaddexp(x, y)", "np.logaddexp2(x, y)", "np.logical_and(i, j)", "np.logical_not(i)",
    "np.logical_or(i, j)", "np.logical_xor(i, h[0])", "np.matmul(t, x.T)", "np.matvec(t, v)",
    "np.maximum(x, y)", "np.minimum(x, y)", "np.modf(q)", "np.multiply(x, y)", "np.negative(x)",
    "np.nextafter(x, y)", "np.not_equal(i, j)", "np.positive(x)", "np.power(u, x)", "np.rad2deg(x)",
    "np.radians(x)", "np.reciprocal(u)", "np.remainder(x, u)", "np.right_shift(j, k[0, 0])",
    "np.rint(g)", "np.sign(g)", "np.signbit(g)", "np.sin(x)", "np.sinh(x)", "np.sqrt(u)",
    "np.square(x)", "np.subtract(x, y)", "np.tan(u)", "np.tanh(x)", "np.trunc(x)",
    "np.vecdot(t, v)", "np.vecmat(v[:3], t)",
]

FUNCTIONS = [
    "np.all(x > 0, axis=0)", "np.allclose(x, x + 1e-12)", "np.amax(x, axis=1)",
    "np.amin(x, axis=1, keepdims=True)", "np.angle(z)", "np.any(x > 0, axis=1, keepdims=True)",
    "np.append(v, w)", "np.apply_over_axes(np.sum, t, [0, 2])", "np.argmax(x, axis=1)",
    "np.argmin(x)", "np.sort(np.argpartition(v, 2))", "np.argsort(x, axis=0)", "np.argwhere(k > 0)",
    "np.around(g)", "np.array_equal(x, y)", "np.array_split(i, 4)", "np.astype(x, np.int64)",
    "np.average(x, axis=1, weights=w)", "np.bincount(i)",
    "np.block([[m, b], [x[:1, :3], np.ones((1, 2))]])", "np.broadcast_arrays(x, v)",
    "np.broadcast_to(v, (3, 4))", "np.choose(k % 2, [1, 7])", "np.clip(x, -1, 1)",
    "np.column_stack([v, w, x.T])", "np.compress(h, x, axis=1)", "np.concatenate([x, y], axis=1)",
    "np.convolve(v, w)", "np.copy(x)", "np.corrcoef(x)", "np.correlate(v, w, 'full')",
    "np.count_nonzero(i)", "np.cov(x, ddof=0)", "np.cross(m, s)", "np.cumprod(x, axis=0)",
    "np.cumsum(x)", "np.cumulative_prod(x, axis=1)", "np.cumulative_sum(v, include_initial=True)",
    "np.delete(x, 1, axis=0)", "np.diag(v)", "x[np.diag_indices_from(m)]", "np.diagflat(x)",
    "np.diagonal(t, 1, 1, 2)", "np.diff(x, axis=0)", "np.digitize(x, o)", "np.dot(x, v)",
    "np.dsplit(t, 2)", "np.dstack([x, y])", "np.ediff1d(v, to_end=[9.0])",
    "np.einsum('ij,kj->ik', x, y)", "np.empty_like(x) * 0", "np.expand_dims(x, (0, 2))",
    "np.extract(x > 0, y)", "np.fix(x)", "np.flatnonzero(i)", "np.flip(t, (0, 2))", "np.fliplr(x)",
    "np.flipud(x)", "np.full_like(x, 7)", "np.geomspace(w[0], 8.0, 5)", "np.gradient(x, 0.5)",
    "np.hsplit(x, 2)", "np.hstack([v, w])", "np.i0(x)", "np.imag(z)", "np.inner(x, v)",
    "np.insert(v, 2, 9.0)", "np.interp(x, o, w)", "np.intersect1d(i, j)",
    "np.isclose(x, x + 1e-12)", "np.iscomplex(z)", "np.iscomplexobj(z)", "np.isin(i, j)",
    "np.isneginf(q)", "np.isposinf(q)", "np.isreal(z)", "np.isrealobj(z)",
    "x[np.ix_(i[1:3], j[:2])]", "np.kron(m, b)", "np.lexsort((j, i))", "np.linspace(v[0], 3.0, 5)",
    "np.logspace(v[0], 1.0, 4)", "np.matrix_transpose(t)", "np.max(x, axis=0)",
    "np.mean(x, axis=0)", "np.median(x, axis=1)", "np.meshgrid(v, i)", "np.min(x)",
    "np.moveaxis(t, 0, -1)", "np.nan_to_num(q)", "np.nanargmax(q)", "np.nanargmin(q)",
    "np.nancumprod(q[:2])", "np.nancumsum(q[:2])", "np.nanmax(q)", "np.nanmean(q[:2])",
    "np.nanmedian(q[:2])", "np.nanmin(q)", "np.nanpercentile(q[:2], 30)", "np.nanprod(q[:2])",
    "np.nanquantile(q[:2], 0.3)", "np.nanstd(q[:2])", "np.nansum(q[:2])", "np.nanvar(q[:2])",
    "np.ndim(t)", "np.nonzero(k)", "np.ones_like(x)", "np.outer(v, w)", "np.pad(x, 1)",
    "np.sort(np.partition(v, 2))", "np.percentile(x, 30, axis=0)", "np.permute_dims(t, (2, 0, 1))",
    "np.piecewise(v, [v < 0, v > 1], [lambda a: -a, 1.0, lambda a: a * a])", "np.polyadd(v, o[1:])",
    "np.polyder(v, 2)", "np.polyfit(o, v, 2)", "np.polyint(v)", "np.polymul(v, w[1:])",
    "np.polysub(v, o)", "np.polyval(v, x)", "np.prod(x, axis=1)", "np.ptp(x, axis=0)",
    "np.quantile(x, [0.2, 0.7], axis=1)", "np.ravel(t)",
    "np.ravel_multi_index((k[:, 0], k[:, 1]), (4, 3))", "np.real(z)", "np.repeat(x, 2, axis=1)",
    "np.reshape(x, (2, 6))", "np.resize(v, (3, 3))", "np.result_type(x, i)",
    "np.roll(x, (1, 2), (0, 1))", "np.rollaxis(t, 2)", "np.rot90(x)", "np.round(x, 2)",
    "np.searchsorted(o, x)", "np.select([x > 1, x > 0], [x, y], 5.0)", "np.setdiff1d(i, j)",
    "np.setxor1d(i, j)", "np.shape(t)", "np.sinc(g)", "np.size(t, 1)", "np.sort(x, axis=0)",
    "np.split(x, 2, axis=1)", "np.squeeze(x[:, :1], axis=1)", "np.stack([x, y], axis=1)",
    "np.std(x, axis=0, ddof=1)", "np.sum(x, axis=0, keepdims=True)", "np.swapaxes(t, 0, 2)",
    "np.take(x, i[1:3], axis=1)", "np.take_along_axis(x, k, axis=1)",
    "np.tensordot(t, x, axes=([1, 2], [0, 1]))", "np.tile(x, (2, 1))", "np.trace(t, 1, 1, 2)",
    "np.transpose(t, (1, 2, 0))", "np.trapezoid(x, o)", "np.tril(m)",
    "m[np.tril_indices_from(m, -1)]", "np.triu(m, 1)", "m[np.triu_indices_from(m)]",
    "np.union1d(i, j)", "np.unique(i, return_counts=True)", "tuple(np.unique_all(i))",
    "np.unique_counts(i).counts", "np.unique_inverse(k).inverse_indices",
    "np.sort(np.unique_values(i))", "np.unravel_index(i, (2, 3))", "np.unwrap(4 * v)",
    "np.vander(v, 3)", "np.var(x, axis=(0, 1))", "np.vdot(z, z[::-1])", "np.vsplit(x, 3)",
    "np.vstack([v, w])", "np.where(x > 0, x, y)", "np.zeros_like(x)",
    "np.common_type(x, i) is np.float64", "np.unstack(np.expand_dims(x, 1), axis=1)",
]

LINALG = [
    "np.linalg.cholesky(s)", "np.linalg.cond(m)", "np.linalg.cross(m, s)", "np.linalg.det(m)",
    "np.linalg.diagonal(t, offset=1)",
    "(lambda e: np.real(e.eigenvectors * e.eigenvalues - m @ e.eigenvectors))(np.linalg.eig(m))",
    "(lambda e: (e.eigenvectors * e.eigenvalues) @ e.eigenvectors.T)(np.linalg.eigh(s))",
    "np.sort(np.real(np.linalg.eigvals(s)))", "np.linalg.eigvalsh(s, 'U')", "np.linalg.inv(m)",
    "np.linalg.lstsq(x.T, w)[0]", "np.linalg.matmul(t, x.T)", "np.linalg.matrix_norm(t)",
    "np.linalg.matrix_power(m, 3)", "np.linalg.matrix_rank(b @ b.T)",
    "np.linalg.matrix_transpose(t)", "np.linalg.multi_dot([m, x, v])", "np.linalg.norm(x, axis=1)",
    "np.linalg.outer(v, w)", "np.linalg.pinv(x)", "(lambda f: f.Q @ f.R)(np.linalg.qr(b))",
    "tuple(np.linalg.slogdet(m))", "np.linalg.solve(m, b)",
    "(lambda f: (f.U * f.S) @ f.Vh)(np.linalg.svd(x, full_matrices=False))", "np.linalg.svdvals(x)",
    "np.linalg.tensordot(x, y, axes=2)", "np.linalg.tensorinv(np.reshape(m, (3, 3)), 1)",
    "np.linalg.tensorsolve(m, v[:3])", "np.linalg.trace(t, offset=1)",
    "np.linalg.vecdot(t, 2 * t, axis=1)",
    "np.linalg.vector_norm(t, axis=(0, 2), keepdims=True, ord=3)",
]

FOURIER = [
    "np.fft.fft(z, axis=0)", "np.fft.fft2(t)", "np.fft.fftn(t, norm='ortho')", "np.fft.fftshift(t)",
    "np.fft.hfft(z)", "np.fft.ifft(z, 4)", "np.fft.ifft2(x)", "np.fft.ifftn(z)",
    "np.fft.ifftshift(x, axes=1)", "np.fft.ihfft(x)", "np.fft.irfft(z, 5)", "np.fft.irfft2(z)",
    "np.fft.irfftn(z, norm='forward')", "np.fft.rfft(t, axis=1)", "np.fft.rfft2(t)",
    "np.fft.rfftn(t, axes=(0, 1))",
]

MORE = [
    # options, and operands of other kinds
    "np.histogram(x)", "np.histogram(x, o, density=True)", "np.histogram(i, 4, (1, 4))",
    "np.histogram(v, 3, weights=w)", "np.histogram(v[:1], 2)", "np.histogram_bin_edges(x, 3)",
    "np.trim_zeros(np.pad(v, (2, 1)))", "np.trim_zeros(np.pad(v, 2), 'b')", "np.trim_zeros(0 * v)",
    "np.trim_zeros(v)", "np.roll(x, (1, 2), 0)", "np.roll(x, 1, (0, 1))", "np.roll(x, (2, 3))",
    "np.where(x > 0, 100, 3)",
    "np.select([x > 1, x > 0], [100, 7])", "np.fft.fft(x, 3)", "np.fft.rfft2(x, (2, 3))",
    "np.delete(x, 5)", "np.delete(v, -2)", "np.insert(v, -1, 7.0)", "np.insert(v, 4, 7.0)",
    "np.logaddexp.reduce(x, axis=1)", "np.ones(4).clip(v, w)", "np.exp(x, None)",
    "np.add(1, x)", "np.add([1.0, 2.0, 3.0, 4.0], x)", "np.maximum(np.float32(0), x)",
    "np.add.reduce(t)", "np.add.reduce(t, axis=(0, 2), keepdims=True)", "np.multiply.reduce(x, 1)",
    "np.maximum.reduce(x)", "np.minimum.reduce(x, axis=None)", "np.logical_and.reduce(x > 0)",
    "np.logical_or.reduce(x > 0, axis=1)", "np.add.accumulate(x)", "np.multiply.accumulate(x, 1)",
    "np.subtract.outer(v, x)", "np.multiply.outer(x, v)", "np.less.outer(v, w)", "np.sum(x)",
    "np.sum(i, dtype='float64')", "np.mean(x, axis=1, keepdims=True)", "np.where(i)",
    "np.clip(x, None, 0.5)", "np.clip(x, min=0.0)", "np.sort(x, axis=None)",
    "np.angle(x, deg=True)", "np.concatenate([x, y], axis=None)",
    "np.concatenate([np.ones((1, 4)), x])", "np.stack([np.ones(4), v])",
    "np.dot(np.ones((2, 3)), x)", "np.dot(t, x.T)", "np.inner(t, x)",
    "np.diff(x, n=2, prepend=0.0)", "np.cov(x, rowvar=False)", "np.cov(v, w)", "np.corrcoef(v, w)",
    "np.convolve(v, o[:3], 'same')", "np.convolve(v, o[:3], 'valid')",
    "np.convolve(v[:2], w, 'same')", "np.correlate(v, o[:2])", "np.correlate(v[:2], w, 'same')",
    "np.correlate(v[:3], w, 'same')", "np.correlate(v, o[:3], 'same')", "np.correlate(v[:2], w)",
    "np.roll(x, 5)", "np.roll(x, -1, axis=1)", "np.interp(x, o, w, left=-7.0, right=9.0)",
    "np.digitize(x, o[::-1])", "np.digitize(o, o, right=True)", "np.gradient(x, 0.5, 2.0)",
    "np.gradient(t, axis=1)", "np.trapezoid(x, dx=0.5, axis=0)", "np.polyval([1.0, 2.0, 3.0], x)",
    "np.polyint(v, 2, [1.0, 2.0])", "np.delete(x, -1, axis=1)", "np.insert(x, 1, v, axis=0)",
    "np.round(100 * x, -1)", "np.round(i)", "np.reshape(x, -1)", "np.size(x)", "np.kron(v, x)",
    "np.cross(m, s, axis=0)", "np.unique(i)",
    "np.unique(k, return_index=True, return_inverse=True)", "np.resize(v, 7)", "np.vander(v)",
    "np.vander(v, 3, increasing=True)", "np.argsort(v, stable=True)", "np.ptp(x)",
    "np.isin(i, [3, 7])", "np.linalg.norm(x)", "np.linalg.norm(v, 3)", "np.linalg.norm(m, 2)",
    "np.linalg.solve(m, v[:3])", "np.linalg.solve(np.eye(3), b)",
    "np.linalg.cholesky(s, upper=True)", "np.linalg.cond(m, 1)",
    "np.linalg.svd(x, compute_uv=False)", "np.linalg.vector_norm(x)", "np.linalg.matrix_rank(v)",
    "np.fft.fft(x, 6)", "np.fft.rfft(v, 7, norm='ortho')", "np.fft.irfft(z)",
    "np.fft.fft(v, norm='forward')", "np.array_equal(q, q, equal_nan=True)", "np.array_equal(x, x)",
    "np.array_equal(x, x[:, :2])", "np.split(v, [1, 3])", "np.squeeze(x)", "np.trace(m)",
    "np.einsum('i,i', v, w)",
]
# fmt: on

CALLS = UFUNCS + FUNCTIONS + LINALG + FOURIER + MORE
