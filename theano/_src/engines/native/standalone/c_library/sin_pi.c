/* needs: dd_product */
/* sin(pi * x), with an exact reduction to |x| <= 1/2; the argument of sin has two parts */
static double th_sin_pi(double x) {
  double turn = fmod(x, 2.0), whole = floor(turn + 0.5), r = turn - whole, size = fabs(r), s;
  int far = size > 0.25;
  th_dd angle;
  size = far ? 0.5 - size : size;
  angle = th_dd_product(3.141592653589793, size);
  angle.lo += 1.2246467991473532e-16 * size;
  s = far ? cos(angle.hi) - angle.lo * sin(angle.hi) : sin(angle.hi) + angle.lo * cos(angle.hi);
  return (r < 0) != (fmod(whole, 2.0) != 0) ? -s : s;
}
