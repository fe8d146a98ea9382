/* Pairs of doubles whose sum is a number of 106 bits (Dekker 1971; Knuth, TAOCP 2, 4.2.2). */
typedef struct {
  double hi, lo;
} th_dd;

/* needs: dd */
/* a + b without error */
static th_dd th_dd_sum(double a, double b) {
  double back;
  th_dd s;
  s.hi = a + b;
  back = s.hi - a;
  s.lo = (a - (s.hi - back)) + (b - back);
  return s;
}

/* needs: dd */
/* a * b without error for abs(a), abs(b) < 1e300: each factor is split into two of 26 bits */
static th_dd th_dd_product(double a, double b) {
  double a1 = 134217729.0 * a, b1 = 134217729.0 * b, a2, b2;
  th_dd p;
  a1 = a1 - (a1 - a);
  b1 = b1 - (b1 - b);
  a2 = a - a1;
  b2 = b - b1;
  p.hi = a * b;
  p.lo = (((a1 * b1 - p.hi) + a1 * b2) + a2 * b1) + a2 * b2;
  return p;
}

/* needs: dd_sum */
static th_dd th_dd_add(th_dd a, th_dd b) {
  th_dd s = th_dd_sum(a.hi, b.hi), t = th_dd_sum(a.lo, b.lo);
  s = th_dd_sum(s.hi, s.lo + t.hi);
  return th_dd_sum(s.hi, s.lo + t.lo);
}

/* needs: dd_sum dd_product */
static th_dd th_dd_mul(th_dd a, th_dd b) {
  th_dd p = th_dd_product(a.hi, b.hi);
  return th_dd_sum(p.hi, p.lo + (a.hi * b.lo + a.lo * b.hi));
}

/* needs: dd_add dd_mul */
static th_dd th_dd_div(th_dd a, th_dd b) {
  double q = a.hi / b.hi;
  th_dd part = {0.0, 0.0}, rest;
  part.hi = -q;
  rest = th_dd_add(a, th_dd_mul(part, b));
  return th_dd_sum(q, (rest.hi + rest.lo) / b.hi);
}

/* c[0] + c[1] * x + ... + c[n - 1] * x**(n - 1) */
static double th_polynomial(const double *c, int n, double x) {
  double sum = c[n - 1];
  int i;
  for (i = n - 2; i >= 0; i--) sum = sum * x + c[i];
  return sum;
}

/* needs: dd dd_sum dd_add */
/* log(x) = *start + log(1 + f) with |f| < 0.022: 1 + f is x / 2**k * r, without error.
   The table has r of 9 bits near 32 / j, and -log(r). */
static th_dd th_log_start(double x, th_dd *start) {
  static const double table[23][3] = {
    {1.390625, -0.329753286372468, -2.122020616196946e-18},
    {1.33203125, -0.2867050328039543, 3.679022556770764e-18},
    {1.28125, -0.24783616390458127, 1.2432209578702523e-17},
    {1.23046875, -0.2073951943460706, 6.623981508424082e-18},
    {1.18359375, -0.16855536102980667, 4.849378323802459e-18},
    {1.14453125, -0.13499516453750482, -1.1344320488590788e-17},
    {1.1015625, -0.09672962645855111, 5.597397486289965e-19},
    {1.06640625, -0.06429435070539725, -2.607864228825769e-18},
    {1.03125, -0.030771658666753687, -1.0431732029005968e-18},
    {1.0, 0.0, 0.0},
    {0.96875, 0.0317486983145803, 3.0382263084680858e-18},
    {0.94140625, 0.06038051098890748, -2.1569637373409678e-18},
    {0.9140625, 0.08985632912186105, -6.273760163689594e-19},
    {0.890625, 0.1158318155251217, 4.338484369808096e-18},
    {0.86328125, 0.14701474296180966, -4.46694718500102e-18},
    {0.84375, 0.16989903679539747, -4.868008764439071e-19},
    {0.8203125, 0.1980699137620938, 3.742843482461439e-18},
    {0.80078125, 0.2221674653411543, -1.0797202916767509e-17},
    {0.78125, 0.24686007793152578, 1.361743371748368e-17},
    {0.76171875, 0.27217788591581565, 1.9460544362807653e-17},
    {0.74609375, 0.2929040164329326, -2.097144388760612e-17},
    {0.7265625, 0.3194307707663612, 1.354256857264811e-18},
    {0.7109375, 0.34117075740276714, -1.9366790062602867e-17}
  };
  int k, j;
  double m = frexp(x, &k), top;
  const double *row;
  th_dd f, part;
  if (m < 0.7071067811865476) {
    m *= 2.0;
    k--;
  }
  j = (int)(m * 32.0 + 0.5) - 23;
  row = table[j];
  /* log(2) in three parts, of 32 and 42 bits and the rest */
  *start = th_dd_sum(k * 0.6931471803691238, row[1]);
  part = th_dd_sum(k * 1.9082149292705572e-10, row[2]);
  part.lo += k * 3.061840736018652e-24;
  *start = th_dd_add(*start, part);
  top = (double)(float)m;
  f.hi = top * row[0] - 1.0;
  f.lo = (m - top) * row[0];
  return f;
}

/* needs: log_start dd_sum polynomial */
/* log(x) with an error below 2**-68 */
static th_dd th_log_pair(double x) {
  static const double c[] = {1.0 / 3, -1.0 / 4,  1.0 / 5,   -1.0 / 6, 1.0 / 7, -1.0 / 8,
                             1.0 / 9, -1.0 / 10, 1.0 / 11, -1.0 / 12, 1.0 / 13};
  th_dd start, f = th_log_start(x, &start), s, t;
  double g = f.hi + f.lo, tail = g * g * g * th_polynomial(c, 11, g);
  s = th_dd_sum(start.hi, f.hi);
  t = th_dd_sum(s.hi, -0.5 * f.hi * f.hi);
  return th_dd_sum(t.hi, ((((tail + start.lo) + s.lo) + t.lo) - 0.5 * f.lo * (f.hi + g)) + f.lo);
}

/* needs: log_start dd_add dd_mul dd_div */
/* log(x), with an error of some 2**-103: 2 atanh(f / (2 + f)) */
static th_dd th_log_dd(th_dd x) {
  static const th_dd third = {0.3333333333333333, 1.850371707708594e-17};
  static const th_dd fifth = {0.2, -1.1102230246251566e-17};
  static const th_dd seventh = {0.14285714285714285, 7.93016446160826e-18};
  th_dd start, f = th_log_start(x.hi, &start), s, t, sum, low = {0.0, 0.0};
  double ratio = x.lo / x.hi;
  f = th_dd_sum(f.hi, f.lo);
  t = th_dd_sum(2.0, f.hi);
  t.lo += f.lo;
  s = th_dd_div(f, t);
  t = th_dd_mul(s, s);
  low.hi = t.hi * (1.0 / 9 + t.hi * (1.0 / 11 + t.hi * (1.0 / 13 + t.hi / 15)));
  sum = th_dd_add(seventh, low);
  sum = th_dd_add(fifth, th_dd_mul(t, sum));
  sum = th_dd_add(third, th_dd_mul(t, sum));
  sum = th_dd_mul(s, th_dd_mul(t, sum));
  sum = th_dd_add(s, sum);
  sum.hi *= 2.0;
  sum.lo *= 2.0;
  low.hi = ratio - 0.5 * ratio * ratio;
  return th_dd_add(start, th_dd_add(sum, low));
}
