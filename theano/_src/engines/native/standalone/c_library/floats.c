static double th_conjugate(double a) {
  return a;
}

static double th_sign(double a) {
  return a > 0 ? 1.0 : a < 0 ? -1.0 : a == 0 ? 0.0 : a;
}

static double th_fmax(double a, double b) {
  return a >= b || b != b ? a : b;
}

static double th_fmin(double a, double b) {
  return a <= b || b != b ? a : b;
}

static double th_clip(double a, double low, double high) {
  a = a < low || low != low ? low : a;
  return a > high || high != high ? high : a;
}

/* The quotient is a whole number up to rounding errors: the nearest one is taken. */
static double th_floor_divide(double a, double b) {
  double rest = fmod(a, b), quotient, whole;
  if (b == 0) return a / b;
  quotient = (a - rest) / b;
  if (rest != 0 && (rest < 0) != (b < 0)) quotient -= 1.0;
  if (quotient == 0) return copysign(0.0, a / b);
  whole = floor(quotient);
  return quotient - whole > 0.5 ? whole + 1.0 : whole;
}

static float th_floor_dividef(float a, float b) {
  float rest = fmodf(a, b), quotient, whole;
  if (b == 0) return a / b;
  quotient = (a - rest) / b;
  if (rest != 0 && (rest < 0) != (b < 0)) quotient -= 1.0f;
  if (quotient == 0) return copysignf(0.0f, a / b);
  whole = floorf(quotient);
  return quotient - whole > 0.5f ? whole + 1.0f : whole;
}

static double th_remainder(double a, double b) {
  double rest = fmod(a, b);
  if (rest == 0) return copysign(0.0, b);
  return (rest < 0) != (b < 0) ? rest + b : rest;
}

static float th_remainderf(float a, float b) {
  float rest = fmodf(a, b);
  if (rest == 0) return copysignf(0.0f, b);
  return (rest < 0) != (b < 0) ? rest + b : rest;
}

/* pi / 180 */
static double th_deg2rad(double a) {
  return a * 0.017453292519943295;
}

static float th_deg2radf(float a) {
  return a * (3.14159265358979f / 180.0f);
}

/* 180 / pi */
static double th_rad2deg(double a) {
  return a * 57.29577951308232;
}

static float th_rad2degf(float a) {
  return a * (180.0f / 3.14159265358979f);
}

/* log(exp(a) + exp(b)); equal infinities have no difference */
static double th_logaddexp(double a, double b) {
  double difference = a - b;
  if (a == b) return a + 0.6931471805599453;
  if (difference > 0) return a + log1p(exp(-difference));
  return difference <= 0 ? b + log1p(exp(difference)) : difference;
}

static float th_logaddexpf(float a, float b) {
  float difference = a - b;
  if (a == b) return a + 0.6931471805599453f;
  if (difference > 0) return a + log1pf(expf(-difference));
  return difference <= 0 ? b + log1pf(expf(difference)) : difference;
}

/* log2(2**a + 2**b); 1 / log(2) = 1.44... */
static double th_logaddexp2(double a, double b) {
  double difference = a - b;
  if (a == b) return a + 1.0;
  if (difference > 0) return a + 1.4426950408889634 * log1p(exp2(-difference));
  return difference <= 0 ? b + 1.4426950408889634 * log1p(exp2(difference)) : difference;
}

static float th_logaddexp2f(float a, float b) {
  float difference = a - b;
  if (a == b) return a + 1.0f;
  if (difference > 0) return a + 1.4426950408889634f * log1pf(exp2f(-difference));
  return difference <= 0 ? b + 1.4426950408889634f * log1pf(exp2f(difference)) : difference;
}

/* Truncated; NaN and what is outside the range of int64 become its lowest number. */
static int64_t th_cast_i64(double a) {
  return a >= -9223372036854775808.0 && a < 9223372036854775808.0 ? (int64_t)a : INT64_MIN;
}

/* As th_cast_i64, wrapped; numbers from 2**63 to 2**64 are in the range too. */
static uint64_t th_cast_u64(double a) {
  if (a >= 9223372036854775808.0 && a < 18446744073709551616.0) return (uint64_t)a;
  return (uint64_t)(a >= -9223372036854775808.0 && a < 9223372036854775808.0 ? (int64_t)a
                                                                             : INT64_MIN);
}
