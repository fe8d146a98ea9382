/* needs: erfinv erfcinv_tail */
/* The inverse of erfc; 1 - x and 2 - x are exact where they are used. */
static double th_erfcinv(double x) {
  if (x < 0.5) return th_erfcinv_tail(x);
  return x <= 1.5 ? th_erfinv(1.0 - x) : -th_erfcinv_tail(2.0 - x);
}
