/* Of the places from + j step, j = 0, 1, ..., those from 0 on begin at this j. */
static int64_t th_first_inside(int64_t from, int64_t step)
{
  return from < 0 ? (step - 1 - from) / step : 0;
}

/* Of the first `count` such places, those below `size` end before this j. */
static int64_t th_end_inside(int64_t from, int64_t step, int64_t size, int64_t count)
{
  const int64_t end = from < size ? (size - 1 - from) / step + 1 : 0;
  return end < count ? end : count;
}

/* The elements of a window, and how many count for a mean. */
typedef struct {
  int64_t first, end, count;
} th_window;

/* needs: window */
/* Window i, of `size` places from i step - pad on, over n elements: all its places count for a mean
 * that includes padding (mode 1), its elements for one that does not (2), and one for a sum (0). */
static th_window th_window_at(
    int64_t i, int64_t size, int64_t step, int64_t pad, int64_t n, int64_t mode)
{
  const int64_t first = i * step - pad, end = first + size;
  const int64_t padded = end < n + pad ? end : n + pad;
  th_window w;
  w.first = first > 0 ? first : 0;
  w.end = end < n ? end : n;
  w.count = mode == 0 ? 1 : mode == 1 ? padded - first : w.end - w.first;
  return w;
}

/* The first of the windows that element p belongs to. */
static int64_t th_first_window(int64_t p, int64_t size, int64_t step, int64_t pad)
{
  return p + pad < size ? 0 : (p + pad - size) / step + 1;
}

/* The end of the windows that element p belongs to, of m windows. */
static int64_t th_end_window(int64_t p, int64_t step, int64_t pad, int64_t m)
{
  const int64_t end = (p + pad) / step + 1;
  return end < m ? end : m;
}
