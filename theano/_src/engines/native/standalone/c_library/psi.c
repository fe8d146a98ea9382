/* needs: polynomial psi_dd */
/* The derivative of log(gamma) at 1 + y >= 1. Rational fits by mpmath: up to y = 1 of
   psi / (y - its zero) - 0.95, and above of what follows log(x) - 1 / (2 x), a function of
   1 / x**2. */
static double th_psi_1p(double y) {
  static const double p[] = {0.3003801375034054, -0.19961633195539089, -0.6097007057528905,
                             -0.3282499900709243, -0.06746528125667452, -0.005332470717163481,
                             -0.00011742302431003392};
  static const double q[] = {1.0, 2.180826715411467, 1.6704471221461608, 0.5759631010173343,
                             0.09246305170014778, 0.006245167674452513, 0.00012481246764189794};
  static const double r[] = {0.08333333333333333, 1.9964581946308562, 15.79856880958209,
                             51.08588872692109, 67.51617822814856, 31.34268688319332,
                             3.021724233757834, -0.04885570635372602};
  static const double s[] = {1.0, 24.057498335570266, 191.94095650092635, 631.1291652135657,
                             865.2789756232881, 440.24948042149407, 58.27872729142264};
  double x = 1.0 + y, v;
  if (y <= 1) {
    v = th_polynomial(p, 7, y) / th_polynomial(q, 7, y);
    y = (y - 0.46163214496836236) + 1.5522348162858677e-17;
    return 0.95 * y + v * y;
  }
  v = 1.0 / x / x;
  return log(x) - (0.5 / x + v * th_polynomial(r, 8, v) / th_polynomial(s, 7, v));
}

static double th_psi(double x) {
  double r, size, slope, result;
  if (x >= 1) return th_psi_1p(x - 1.0);
  if (x == 0) return copysign(INFINITY, -x);
  if (x > 0) return th_psi_1p(x) - 1.0 / x;
  if (x != x || x == floor(x)) return NAN;
  if (x > -1e-17) return -1.0 / x;
  /* the reflection formula, with pi / tan(pi x) for the distance of x from a whole number */
  r = x - floor(x + 0.5);
  size = fabs(r);
  slope = size < 0.25 ? 3.141592653589793 / tan(3.141592653589793 * size)
                      : 3.141592653589793 * tan(3.141592653589793 * (0.5 - size));
  result = th_psi_1p(-x) - copysign(slope, r);
  /* there is a zero between any two poles */
  return x > -40 && fabs(result) < slope ? th_psi_dd(x) : result;
}
