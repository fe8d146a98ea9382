/* needs: polynomial gammaln_1p gamma gammaln_dd dd_product dd_sum dd_mul */
/* log(gamma(x)) for x >= 8 by Stirling's formula. What follows its terms is s(1 / x**2) / x, with
   s a rational fit by mpmath. */
static double th_gammaln_stirling(double x) {
  static const double p[] = {0.0833333333333333, -0.002777777777609949, 0.000793650666839111,
                             -0.0005952029330986233, 0.0008373081231167562,
                             -0.0016532311721159769};
  double v = 1.0 / (x * x), main = (x - 0.5) * (log(x) - 1.0);
  return main + (0.4189385332046728 + th_polynomial(p, 6, v) / x);
}

/* log(abs(gamma(x))) */
static double th_gammaln(double x) {
  th_dd pair;
  double y;
  if (x >= 8) return th_gammaln_stirling(x);
  if (x >= 3) {
    for (y = 1.0; x >= 3; y *= x) x -= 1.0;
    return log(y) + th_gammaln_1p(x - 1.0);
  }
  if (x >= 0.75) return th_gammaln_1p(x - 1.0);
  if (x > -0.25 && x != 0) return th_gammaln_1p(x) - log(fabs(x));
  if (x > -1) return th_gammaln_1p(x + 1.0) - log(-x * (x + 1.0));
  if (x != x || x == -INFINITY) return x;
  if (x == floor(x)) return INFINITY;
  if (x > -2) {
    pair = th_dd_mul(th_dd_product(x, x + 1.0), th_dd_sum(x, 2.0));
    return th_gammaln_1p(x + 2.0) - log(pair.hi) - pair.lo / pair.hi;
  }
  if (x < -40) return log(3.141592653589793 / fabs(x * th_sin_pi(x))) - th_gammaln(-x);
  y = log(fabs(th_gamma(x)));
  /* there are zeros near the whole numbers from -2 down */
  return x < -2 && fabs(y) < 1.5 ? th_gammaln_dd(x) : y;
}
