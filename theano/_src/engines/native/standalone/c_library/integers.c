static int64_t th_floor_divide_i64(int64_t a, int64_t b) {
  int64_t q;
  if (b == 0) return 0;
  /* the quotient of the lowest number and -1 wraps */
  if (b == -1) return (int64_t)(0u - (uint64_t)a);
  q = a / b;
  return q * b != a && (a < 0) != (b < 0) ? q - 1 : q;
}

static int64_t th_remainder_i64(int64_t a, int64_t b) {
  int64_t r;
  if (b == 0 || b == -1) return 0;
  r = a % b;
  return r != 0 && (r < 0) != (b < 0) ? r + b : r;
}

static int64_t th_fmod_i64(int64_t a, int64_t b) {
  return b == 0 || b == -1 ? 0 : a % b;
}

/* Negative powers are rounded towards 0, and those of 0 are 0. */
static int64_t th_power_i64(int64_t a, int64_t b) {
  uint64_t square = (uint64_t)a, result = 1;
  if (b < 0) return a == 1 ? 1 : a == -1 ? (b % 2 == 0 ? 1 : -1) : 0;
  for (; b > 0; b >>= 1) {
    if (b & 1) result *= square;
    square *= square;
  }
  return (int64_t)result;
}

static int64_t th_left_shift_i64(int64_t a, int64_t b) {
  return b < 0 || b >= 64 ? 0 : (int64_t)((uint64_t)a << b);
}

static int64_t th_right_shift_i64(int64_t a, int64_t b) {
  if (b < 0 || b >= 64) return a < 0 ? -1 : 0;
  return a < 0 ? ~(~a >> b) : a >> b;
}

/* The lowest number is its own absolute value. */
static int64_t th_absolute_i64(int64_t a) {
  return a < 0 ? (int64_t)(0u - (uint64_t)a) : a;
}

static int64_t th_sign_i64(int64_t a) {
  return (a > 0) - (a < 0);
}

static int64_t th_invert_i64(int64_t a) {
  return ~a;
}

static int64_t th_conjugate_i64(int64_t a) {
  return a;
}

static int64_t th_clip_i64(int64_t a, int64_t low, int64_t high) {
  a = a < low ? low : a;
  return a > high ? high : a;
}

static uint64_t th_floor_divide_u64(uint64_t a, uint64_t b) {
  return b == 0 ? 0 : a / b;
}

static uint64_t th_remainder_u64(uint64_t a, uint64_t b) {
  return b == 0 ? 0 : a % b;
}

static uint64_t th_power_u64(uint64_t a, uint64_t b) {
  uint64_t result = 1;
  for (; b > 0; b >>= 1) {
    if (b & 1) result *= a;
    a *= a;
  }
  return result;
}

static uint64_t th_left_shift_u64(uint64_t a, uint64_t b) {
  return b >= 64 ? 0 : a << b;
}

static uint64_t th_right_shift_u64(uint64_t a, uint64_t b) {
  return b >= 64 ? 0 : a >> b;
}

static uint64_t th_sign_u64(uint64_t a) {
  return a > 0;
}

static uint64_t th_invert_u64(uint64_t a) {
  return ~a;
}

static uint64_t th_conjugate_u64(uint64_t a) {
  return a;
}

static uint64_t th_clip_u64(uint64_t a, uint64_t low, uint64_t high) {
  a = a < low ? low : a;
  return a > high ? high : a;
}
