/* needs: polynomial erfcinv_tail */
/* The inverse of erf: a rational fit by mpmath in x**2 up to 1/2. */
static double th_erfinv(double x) {
  static const double p[] = {0.2320136665346545, -0.580534810363788, 0.514436552749939,
                             -0.18889103079191852, 0.024232627503286298, -0.00022334058940029584,
                             -8.085463676122147e-06};
  static const double q[] = {1.0, -3.051936535659302, 3.5221105182200634, -1.8919833315428076,
                             0.46222263799332, -0.039560560322594585};
  double v = x * x;
  if (v <= 0.25) {
    /* the slope at 0, sqrt(pi) / 2, has two parts */
    v = v * th_polynomial(p, 7, v) / th_polynomial(q, 6, v);
    return x * (0.886226925452758 + (v - 3.8332932499128993e-17));
  }
  return copysign(th_erfcinv_tail(1.0 - fabs(x)), x);
}
