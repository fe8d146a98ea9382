/* needs: log_dd polynomial dd_sum dd_add dd_mul dd_div */
/* log(abs(gamma(x))) for -40 < x < 0 in pairs of doubles, from log(gamma(x + n)) with x + n > 32 */
static double th_gammaln_dd(double x) {
  /* 1/12, -1/360 and 1/1260: B(2 k) / (2 k (2 k - 1)), as those that follow */
  static const th_dd c[] = {{0.08333333333333333, 4.625929269271485e-18},
                            {-0.002777777777777778, 1.0601087908747154e-19},
                            {0.0007936507936507937, 6.883823317368282e-22}};
  static const double rest[] = {-1.0 / 1680, 1.0 / 1188, -691.0 / 360360, 1.0 / 156,
                                -3617.0 / 122400, 43867.0 / 244188, -174611.0 / 125400};
  static const th_dd half_log_2pi = {0.9189385332046728, -3.8782941580672414e-17};
  static const th_dd one = {1.0, 0.0};
  th_dd product = one, z = one, u, v, sum = one, log_z;
  int i, n;
  for (n = 0; x + n < 32; n++) product = th_dd_mul(product, th_dd_sum(x, n));
  if (product.hi < 0) {
    product.hi = -product.hi;
    product.lo = -product.lo;
  }
  z = th_dd_sum(x, n);
  log_z = th_log_dd(z);
  u = th_dd_div(one, z);
  v = th_dd_mul(u, u);
  sum.hi = v.hi * th_polynomial(rest, 7, v.hi);
  for (i = 2; i >= 0; i--) {
    sum = th_dd_add(sum, c[i]);
    sum = th_dd_mul(sum, i > 0 ? v : u);
  }
  sum = th_dd_add(sum, half_log_2pi);
  u.hi = -z.hi;
  u.lo = -z.lo;
  sum = th_dd_add(sum, u);
  u.hi = -0.5;
  u.lo = 0.0;
  sum = th_dd_add(sum, th_dd_mul(th_dd_add(z, u), log_z));
  u = th_log_dd(product);
  u.hi = -u.hi;
  u.lo = -u.lo;
  sum = th_dd_add(sum, u);
  return sum.hi + sum.lo;
}
