/* needs: log_dd polynomial dd_sum dd_add dd_mul dd_div */
/* psi(x) for -40 < x < 0 in pairs of doubles, from psi(x + n) with x + n > 32 */
static double th_psi_dd(double x) {
  /* -1/12, 1/120 and -1/252: -B(2 k) / (2 k), as those that follow */
  static const th_dd c[] = {{-0.08333333333333333, -4.625929269271485e-18},
                            {0.008333333333333333, 1.1564823173178714e-19},
                            {-0.003968253968253968, -2.20282346155785e-19}};
  static const double rest[] = {1.0 / 240, -1.0 / 132, 691.0 / 32760, -1.0 / 12,
                                3617.0 / 8160, -43867.0 / 14364, 174611.0 / 6600};
  static const th_dd one = {1.0, 0.0};
  th_dd z, u, v, sum = one, result;
  int i, n;
  result.hi = 0.0;
  result.lo = 0.0;
  for (n = 0; x + n < 32; n++) result = th_dd_add(result, th_dd_div(one, th_dd_sum(x, n)));
  z = th_dd_sum(x, n);
  u = th_dd_div(one, z);
  v = th_dd_mul(u, u);
  sum.hi = v.hi * th_polynomial(rest, 7, v.hi);
  for (i = 2; i >= 0; i--) sum = th_dd_mul(th_dd_add(sum, c[i]), v);
  u.hi *= -0.5;
  u.lo *= -0.5;
  sum = th_dd_add(th_dd_add(sum, u), th_log_dd(z));
  result.hi = -result.hi;
  result.lo = -result.lo;
  sum = th_dd_add(sum, result);
  return sum.hi + sum.lo;
}
