static uint8_t th_less_bool(uint8_t a, uint8_t b) {
  return a < b;
}

static uint8_t th_less_equal_bool(uint8_t a, uint8_t b) {
  return a <= b;
}

static uint8_t th_greater_bool(uint8_t a, uint8_t b) {
  return a > b;
}

static uint8_t th_greater_equal_bool(uint8_t a, uint8_t b) {
  return a >= b;
}

static uint8_t th_equal_bool(uint8_t a, uint8_t b) {
  return a == b;
}

static uint8_t th_not_equal_bool(uint8_t a, uint8_t b) {
  return a != b;
}

static uint8_t th_logical_and_bool(uint8_t a, uint8_t b) {
  return a && b;
}

static uint8_t th_logical_or_bool(uint8_t a, uint8_t b) {
  return a || b;
}

static uint8_t th_logical_not_bool(uint8_t a) {
  return !a;
}

static uint8_t th_conjugate_bool(uint8_t a) {
  return a;
}

static uint8_t th_logical_and(double a, double b) {
  return a != 0 && b != 0;
}

static uint8_t th_logical_or(double a, double b) {
  return a != 0 || b != 0;
}

static uint8_t th_logical_xor(double a, double b) {
  return (a != 0) != (b != 0);
}

static uint8_t th_logical_not(double a) {
  return a == 0;
}

static uint8_t th_logical_and_i64(int64_t a, int64_t b) {
  return a && b;
}

static uint8_t th_logical_or_i64(int64_t a, int64_t b) {
  return a || b;
}

static uint8_t th_logical_xor_i64(int64_t a, int64_t b) {
  return !a != !b;
}

static uint8_t th_logical_not_i64(int64_t a) {
  return !a;
}

static uint8_t th_isnan(double a) {
  return a != a;
}

static uint8_t th_isinf(double a) {
  return fabs(a) == INFINITY;
}

static uint8_t th_isfinite(double a) {
  return fabs(a) < INFINITY;
}

static uint8_t th_signbit(double a) {
  return signbit(a) != 0;
}

static uint8_t th_isnan_i64(int64_t a) {
  (void)a;
  return 0;
}

static uint8_t th_isinf_i64(int64_t a) {
  (void)a;
  return 0;
}

static uint8_t th_isfinite_i64(int64_t a) {
  (void)a;
  return 1;
}
