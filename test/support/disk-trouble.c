/*
 * Preloaded into a server (LD_PRELOAD), it makes writes to the files of one directory fail for as long as a test wants.
 * Linux only.
 *
 *   TROUBLE_DIRECTORY   the path of that directory, without a slash at the end
 *   TROUBLE_SWITCH      a file elsewhere. While it exists, changes fail: with EROFS, as after a disk was remounted
 *                       read-only; or, if the file's name ends in "-io", with EIO, as on a dying disk. If it ends in
 *                       "-reads", changes succeed and reads fail with EIO
 */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/types.h>
#include <unistd.h>

static char directory[PATH_MAX];
static size_t directory_length;
static const char *trouble;
static int trouble_error;
static int is_of_reads;

__attribute__((constructor)) static void begin(void) {
  const char *where = getenv("TROUBLE_DIRECTORY");
  const char *file = getenv("TROUBLE_SWITCH");
  if (where == NULL || file == NULL || realpath(where, directory) == NULL) return;
  directory_length = strlen(directory);
  size_t length = strlen(file);
  is_of_reads = length > 6 && strcmp(file + length - 6, "-reads") == 0;
  trouble_error = is_of_reads ? EIO : length > 3 && strcmp(file + length - 3, "-io") == 0 ? EIO : EROFS;
  trouble = file;
}

static int is_ours(const char *path) {
  return strncmp(path, directory, directory_length) == 0 && path[directory_length] == '/';
}

/* Whether a change, or a read, must fail now; sets errno then. */
static int fails(int file, int is_read) {
  if (trouble == NULL || is_read != is_of_reads || access(trouble, F_OK) != 0) return 0;
  char link[64], path[PATH_MAX];
  snprintf(link, sizeof link, "/proc/self/fd/%d", file);
  ssize_t length = readlink(link, path, sizeof path - 1);
  if (length < 0) return 0;
  path[length] = 0;
  if (!is_ours(path)) return 0;
  errno = trouble_error;
  return 1;
}

#define REAL(name) ((__typeof__(&name))dlsym(RTLD_NEXT, #name))

#define FAILING_WHEN(is_read, type, name, parameters, arguments) \
  type name parameters {                                         \
    static __typeof__(&name) real;                               \
    if (real == NULL) real = REAL(name);                         \
    return fails(file, is_read) ? -1 : real arguments;           \
  }
#define FAILING(type, name, parameters, arguments) FAILING_WHEN(0, type, name, parameters, arguments)

FAILING(ssize_t, pwrite, (int file, const void *data, size_t length, off_t offset), (file, data, length, offset))
FAILING(ssize_t, pwrite64, (int file, const void *data, size_t length, off64_t offset), (file, data, length, offset))
FAILING(ssize_t, write, (int file, const void *data, size_t length), (file, data, length))
FAILING(int, ftruncate, (int file, off_t size), (file, size))
FAILING(int, ftruncate64, (int file, off64_t size), (file, size))
FAILING(int, fsync, (int file), (file))
FAILING(int, fdatasync, (int file), (file))
FAILING_WHEN(1, ssize_t, pread, (int file, void *data, size_t length, off_t offset), (file, data, length, offset))
FAILING_WHEN(1, ssize_t, pread64, (int file, void *data, size_t length, off64_t offset), (file, data, length, offset))
