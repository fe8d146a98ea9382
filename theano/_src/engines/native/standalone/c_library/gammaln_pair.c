/* needs: polynomial log_pair dd_product dd_sum */
/* log(gamma(x)) for 3 <= x < 1e17 by Stirling's formula, with an error near 2**-66 * x.
   What follows its three terms is s(1 / x**2) / x, with s a rational fit by mpmath. */
static th_dd th_gammaln_pair(double x) {
  static const double p[] = {0.08333333333333333, 0.9366755973170815, 2.8084169071365013,
                             2.416366261565331, 0.4034559488056634, -0.004394227674202232};
  static const double q[] = {1.0, 11.27344050113826, 34.06726042617179, 30.031747240516772,
                             5.588503321814697};
  double v = 1.0 / (x * x);
  th_dd log_x = th_log_pair(x), a = th_dd_product(x - 0.5, log_x.hi), b = th_dd_sum(a.hi, -x);
  /* log(2 pi) / 2 has two parts */
  th_dd c = th_dd_sum(b.hi, 0.9189385332046728);
  double rest = th_polynomial(p, 6, v) / (x * th_polynomial(q, 5, v)) - 3.8782941580672414e-17;
  return th_dd_sum(c.hi, rest + (((a.lo + (x - 0.5) * log_x.lo) + b.lo) + c.lo));
}
