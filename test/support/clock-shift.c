/*
 * Preloaded into a server (LD_PRELOAD), it shifts the wall clock by what a test writes into a file, while the server runs.
 * The monotonic clock and timers stay real. Linux only.
 *
 *   CLOCK_SHIFT   a file with 8 bytes: the shift in milliseconds, in this machine's byte order
 */
#define _GNU_SOURCE
#include <fcntl.h>
#include <stdint.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <sys/time.h>
#include <time.h>
#include <unistd.h>

static volatile int64_t *shift;

__attribute__((constructor)) static void begin(void) {
  const char *path = getenv("CLOCK_SHIFT");
  int file = path == NULL ? -1 : open(path, O_RDONLY | O_CLOEXEC);
  if (file < 0) return;
  void *mapped = mmap(NULL, sizeof *shift, PROT_READ, MAP_SHARED, file, 0);
  close(file);
  if (mapped != MAP_FAILED) shift = mapped;
}

int clock_gettime(clockid_t clock, struct timespec *now) {
  long result = syscall(SYS_clock_gettime, clock, now);
  if (result != 0 || shift == NULL || (clock != CLOCK_REALTIME && clock != CLOCK_REALTIME_COARSE)) return (int)result;
  int64_t nanoseconds = now->tv_nsec + *shift % 1000 * 1000000;
  now->tv_sec += *shift / 1000 + nanoseconds / 1000000000;
  now->tv_nsec = nanoseconds % 1000000000;
  return 0;
}

int gettimeofday(struct timeval *restrict now, void *restrict zone) {
  struct timespec precise;
  (void)zone;
  if (clock_gettime(CLOCK_REALTIME, &precise) != 0) return -1;
  now->tv_sec = precise.tv_sec;
  now->tv_usec = precise.tv_nsec / 1000;
  return 0;
}

time_t time(time_t *result) {
  struct timespec now;
  if (clock_gettime(CLOCK_REALTIME, &now) != 0) return -1;
  if (result != NULL) *result = now.tv_sec;
  return now.tv_sec;
}
