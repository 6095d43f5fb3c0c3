/*
 * Preloaded into a server (LD_PRELOAD), it records what happens to the files of one directory, in order: each write
 * with its position, each truncation, and each fsync that returned. From the records a test derives what a disk would
 * still hold if the power went at the last one. Linux only.
 *
 *   RECORDER_DIRECTORY   the path of that directory, without a slash at the end
 *   RECORDER_LOG         the file for the records, in another directory
 *
 * A record: kind (1 byte: W, T, S, U), length of the path (2), offset or size (8), length of the data (8), path, data;
 * little-endian. A record is written before the call returns, so its consequences come after it; an fsync is recorded
 * only once the real one has succeeded. One lock covers the call and its record: their orders agree. An fsync of the
 * directory itself is recorded under its own path: only then do names that were added or removed count as safe. Not
 * recorded: changes through a shared memory map (SQLite uses one only for its -shm, which it rebuilds), and calls
 * around the C library, such as those of the runtime's own file functions; a running server writes its data through
 * SQLite alone.
 */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <fcntl.h>
#include <limits.h>
#include <pthread.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <sys/types.h>
#include <sys/uio.h>
#include <unistd.h>

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static char directory[PATH_MAX];
static size_t directory_length;
static int log_file = -1;

__attribute__((constructor)) static void begin(void) {
  const char *where = getenv("RECORDER_DIRECTORY");
  const char *log = getenv("RECORDER_LOG");
  if (where == NULL || log == NULL || realpath(where, directory) == NULL) return;
  directory_length = strlen(directory);
  log_file = (int)syscall(SYS_openat, AT_FDCWD, log, O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0600);
}

/* Length of the path if the file is in the directory, or is the directory itself; else 0. */
static size_t path_of(int file, char *path) {
  if (log_file < 0) return 0;
  char link[64];
  snprintf(link, sizeof link, "/proc/self/fd/%d", file);
  ssize_t length = readlink(link, path, PATH_MAX - 1);
  if (length < (ssize_t)directory_length) return 0;
  path[length] = 0;
  if (strncmp(path, directory, directory_length) != 0) return 0;
  if (path[directory_length] != '/' && path[directory_length] != 0) return 0;
  return (size_t)length;
}

static void record(char kind, const char *path, size_t path_length, uint64_t number, const void *data, uint64_t length) {
  unsigned char head[19];
  uint16_t short_length = (uint16_t)path_length;
  head[0] = (unsigned char)kind;
  memcpy(head + 1, &short_length, 2);
  memcpy(head + 3, &number, 8);
  memcpy(head + 11, &length, 8);
  struct iovec parts[3] = {{head, sizeof head}, {(void *)path, path_length}, {(void *)data, length}};
  ssize_t expected = (ssize_t)(sizeof head + path_length + length);
  if (syscall(SYS_writev, log_file, parts, length == 0 ? 2 : 3) != expected) {
    static const char words[] = "fsync-recorder: the record could not be written\n";
    syscall(SYS_write, 2, words, sizeof words - 1);
    abort();
  }
}

#define REAL(name) ((__typeof__(&name))dlsym(RTLD_NEXT, #name))

#define WRITE_AT(name, offset_type)                                                     \
  ssize_t name(int file, const void *data, size_t length, offset_type offset) {         \
    static __typeof__(&name) real;                                                      \
    if (real == NULL) real = REAL(name);                                                \
    char path[PATH_MAX];                                                                \
    size_t path_length = path_of(file, path);                                           \
    if (path_length == 0) return real(file, data, length, offset);                      \
    pthread_mutex_lock(&lock);                                                          \
    ssize_t written = real(file, data, length, offset);                                 \
    if (written > 0) record('W', path, path_length, (uint64_t)offset, data, (uint64_t)written); \
    pthread_mutex_unlock(&lock);                                                        \
    return written;                                                                     \
  }

WRITE_AT(pwrite, off_t)
WRITE_AT(pwrite64, off64_t)

ssize_t write(int file, const void *data, size_t length) {
  static __typeof__(&write) real;
  if (real == NULL) real = REAL(write);
  char path[PATH_MAX];
  size_t path_length = path_of(file, path);
  if (path_length == 0) return real(file, data, length);
  pthread_mutex_lock(&lock);
  ssize_t written = real(file, data, length);
  if (written > 0) record('W', path, path_length, (uint64_t)(lseek(file, 0, SEEK_CUR) - written), data, (uint64_t)written);
  pthread_mutex_unlock(&lock);
  return written;
}

#define TRUNCATE(name, offset_type)                                      \
  int name(int file, offset_type size) {                                 \
    static __typeof__(&name) real;                                       \
    if (real == NULL) real = REAL(name);                                 \
    char path[PATH_MAX];                                                 \
    size_t path_length = path_of(file, path);                            \
    if (path_length == 0) return real(file, size);                       \
    pthread_mutex_lock(&lock);                                           \
    int result = real(file, size);                                       \
    if (result == 0) record('T', path, path_length, (uint64_t)size, NULL, 0); \
    pthread_mutex_unlock(&lock);                                         \
    return result;                                                       \
  }

TRUNCATE(ftruncate, off_t)
TRUNCATE(ftruncate64, off64_t)

#define SYNC(name)                                                  \
  int name(int file) {                                              \
    static __typeof__(&name) real;                                  \
    if (real == NULL) real = REAL(name);                            \
    char path[PATH_MAX];                                            \
    size_t path_length = path_of(file, path);                       \
    if (path_length == 0) return real(file);                        \
    pthread_mutex_lock(&lock);                                      \
    int result = real(file);                                        \
    if (result == 0) record('S', path, path_length, 0, NULL, 0);    \
    pthread_mutex_unlock(&lock);                                    \
    return result;                                                  \
  }

SYNC(fsync)
SYNC(fdatasync)

int unlink(const char *name) {
  static __typeof__(&unlink) real;
  if (real == NULL) real = REAL(unlink);
  char path[PATH_MAX];
  if (log_file < 0 || realpath(name, path) == NULL || strncmp(path, directory, directory_length) != 0 ||
      path[directory_length] != '/')
    return real(name);
  pthread_mutex_lock(&lock);
  int result = real(name);
  if (result == 0) record('U', path, strlen(path), 0, NULL, 0);
  pthread_mutex_unlock(&lock);
  return result;
}
