/* needs: polynomial gammaln_pair sin_pi dd_product dd_sum dd_mul */
/* gamma(1 + y) = 1 - y (1 - y) r(y) for 0 <= y <= 1, with r a rational fit by mpmath */
static double th_gamma_1p(double y) {
  static const double p[] = {0.5772156649015329, 0.32831260863261236, 0.03495745456018223,
                             0.001601287935692639, 0.002364073075462522, 0.0001749819876846272,
                             2.3178275280790314e-05};
  static const double q[] = {1.0, 1.2822814487983476, 0.11679157129406437, -0.17282666864064494,
                             0.0012097213003595972, 0.0077208485113737, -0.0008243898518586866};
  return 1.0 - y * (1.0 - y) * (th_polynomial(p, 7, y) / th_polynomial(q, 7, y));
}

/* for x < -3: the reflection formula, -pi / (x sin(pi x) gamma(-x)) */
static double th_gamma_reflected(double x) {
  th_dd log_gamma = th_gammaln_pair(-x), product, back;
  double s = -th_sin_pi(x), ratio, power, rest, scale = 1.0;
  if (x < -190) return copysign(0.0, -s);
  if (x < -150) {
    /* exp would underflow before the result does */
    log_gamma.hi -= 200.0;
    scale = 1.3838965267367376e-87;
  }
  product = th_dd_product(x, s);
  ratio = 3.141592653589793 / product.hi;
  /* the relative errors of the ratio and of the logarithm are added to the power */
  back = th_dd_product(ratio, product.hi);
  rest = ((3.141592653589793 - back.hi) - back.lo + 1.2246467991473532e-16) / 3.141592653589793;
  power = exp(-log_gamma.hi);
  return ratio * scale * (power + power * (rest - product.lo / product.hi - log_gamma.lo));
}

static double th_gamma(double x) {
  th_dd product;
  double n, value;
  if (x >= 3) {
    if (x > 171.6243769563027) return INFINITY;
    product = th_gammaln_pair(x);
    value = exp(product.hi);
    return value + value * product.lo;
  }
  if (x >= 2) return (x - 1.0) * th_gamma_1p(x - 2.0);
  if (x >= 1) return th_gamma_1p(x - 1.0);
  if (x == 0) return copysign(INFINITY, x);
  if (x > 0) return th_gamma_1p(x) / x;
  if (x != x || x == floor(x)) return NAN;
  if (x > -1e-17) return 1.0 / x;
  if (x < -3) return th_gamma_reflected(x);
  /* gamma(x + n) / (x (x + 1) ... (x + n - 1)) with 1 <= x + n < 2 */
  product.hi = x;
  product.lo = 0.0;
  for (n = 1.0; x + n < 1; n++) product = th_dd_mul(product, th_dd_sum(x, n));
  value = th_gamma_1p(x + n - 1.0) / product.hi;
  return value - value * (product.lo / product.hi);
}
