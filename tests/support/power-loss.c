/*
 * This library is preloaded into a program. It records, in one sequence, everything that the program does to the files of
 * one folder (POWER_LOSS_FOLDER) and every byte that it sends, and writes that to the file POWER_LOSS_TRACE.
 * power-loss.ts reads the same format and computes from it what a power cut would leave at each moment.
 */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <pthread.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/uio.h>
#include <unistd.h>

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static int trace = -1;
static char folder[PATH_MAX];
static uint64_t syncs = 0;

__attribute__((constructor)) static void begin(void) {
  const char *to = getenv("POWER_LOSS_TRACE"), *of = getenv("POWER_LOSS_FOLDER");
  if (!to || !of || !realpath(of, folder)) return;
  trace = syscall(SYS_openat, AT_FDCWD, to, O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0600);
}

/* Writes a record: operation, caller, length of the path, length of the data, position, and then the path and the data. */
static void put(char op, char who, const char *path, uint64_t position, const struct iovec *data, int count) {
  struct iovec all[1026];
  char head[16];
  uint16_t path_length = (uint16_t)strlen(path);
  uint32_t length = 0;
  int parts = 2;
  for (int i = 0; i < count && parts < 1026; i++) {
    all[parts++] = data[i];
    length += (uint32_t)data[i].iov_len;
  }
  head[0] = op;
  head[1] = who;
  memcpy(head + 2, &path_length, 2);
  memcpy(head + 4, &length, 4);
  memcpy(head + 8, &position, 8);
  all[0].iov_base = head;
  all[0].iov_len = 16;
  all[1].iov_base = (void *)path;
  all[1].iov_len = path_length;
  if (syscall(SYS_writev, trace, all, parts) < 0) abort();
}

/* Returns the name of a file in the folder ("." for the folder itself), or null if the path is outside. */
static const char *name_of(const char *path) {
  size_t length = strlen(folder);
  if (strncmp(path, folder, length) != 0) return NULL;
  if (path[length] == 0) return ".";
  return path[length] == '/' && !strchr(path + length + 1, '/') ? path + length + 1 : NULL;
}

static const char *file_of(int fd, char *room) {
  char link[64];
  snprintf(link, sizeof link, "/proc/self/fd/%d", fd);
  ssize_t length = readlink(link, room, PATH_MAX - 1);
  if (length <= 0) return NULL;
  room[length] = 0;
  return name_of(room);
}

static int is(mode_t type, int fd) {
  struct stat about;
  return fstat(fd, &about) == 0 && (about.st_mode & S_IFMT) == type;
}

/* Returns 's' if the caller is SQLite. */
static char caller(void *address) {
  Dl_info info;
  return dladdr(address, &info) && info.dli_fname && strstr(info.dli_fname, "sqlite") ? 's' : 'n';
}

/* Bytes that the process sends are recorded before they leave it. */
static void sent(int fd, const struct iovec *data, int count) {
  if (trace < 0 || !is(S_IFSOCK, fd)) return;
  int kept = errno;
  pthread_mutex_lock(&lock);
  put('N', 'n', "", 0, data, count);
  pthread_mutex_unlock(&lock);
  errno = kept;
}

static void stored(int fd, off_t position, const void *data, ssize_t written, char who) {
  char room[PATH_MAX];
  if (trace < 0 || written <= 0) return;
  const char *name = file_of(fd, room);
  if (!name) return;
  struct iovec part = {(void *)data, (size_t)written};
  put('W', who, name, (uint64_t)position, &part, 1);
}

static ssize_t do_pwrite(int fd, const void *data, size_t size, off_t position, char who) {
  if (trace < 0) return syscall(SYS_pwrite64, fd, data, size, position);
  pthread_mutex_lock(&lock);
  ssize_t written = syscall(SYS_pwrite64, fd, data, size, position);
  int kept = errno;
  stored(fd, position, data, written, who);
  errno = kept;
  pthread_mutex_unlock(&lock);
  return written;
}

ssize_t pwrite(int fd, const void *data, size_t size, off_t at) {
  return do_pwrite(fd, data, size, at, caller(__builtin_return_address(0)));
}
ssize_t pwrite64(int fd, const void *data, size_t size, off64_t at) {
  return do_pwrite(fd, data, size, at, caller(__builtin_return_address(0)));
}

ssize_t write(int fd, const void *data, size_t size) {
  struct iovec part = {(void *)data, size};
  sent(fd, &part, 1);
  /* A signal handler may write to a pipe. It would wait for ever for a lock that the interrupted thread holds. */
  if (trace < 0 || !is(S_IFREG, fd)) return syscall(SYS_write, fd, data, size);
  pthread_mutex_lock(&lock);
  off_t before = lseek(fd, 0, SEEK_CUR);
  ssize_t written = syscall(SYS_write, fd, data, size);
  int kept = errno;
  if (before >= 0) stored(fd, before, data, written, caller(__builtin_return_address(0)));
  errno = kept;
  pthread_mutex_unlock(&lock);
  return written;
}

ssize_t writev(int fd, const struct iovec *data, int count) {
  sent(fd, data, count);
  return syscall(SYS_writev, fd, data, count);
}
ssize_t send(int fd, const void *data, size_t size, int flags) {
  struct iovec part = {(void *)data, size};
  sent(fd, &part, 1);
  return syscall(SYS_sendto, fd, data, size, flags, NULL, 0);
}
ssize_t sendmsg(int fd, const struct msghdr *message, int flags) {
  sent(fd, message->msg_iov, (int)message->msg_iovlen);
  return syscall(SYS_sendmsg, fd, message, flags);
}

static int do_truncate(int fd, off_t size, char who) {
  char room[PATH_MAX];
  pthread_mutex_lock(&lock);
  int result = (int)syscall(SYS_ftruncate, fd, size);
  int kept = errno;
  const char *name = trace >= 0 && result == 0 ? file_of(fd, room) : NULL;
  if (name) put('T', who, name, (uint64_t)size, NULL, 0);
  errno = kept;
  pthread_mutex_unlock(&lock);
  return result;
}
int ftruncate(int fd, off_t size) { return do_truncate(fd, size, caller(__builtin_return_address(0))); }
int ftruncate64(int fd, off64_t size) { return do_truncate(fd, size, caller(__builtin_return_address(0))); }

/* Several processes may record into one trace, so a sync's number includes the process id.
 * A sync makes everything durable that was written before it began, but only once it has ended. */
static int do_sync(long number, int fd, char who) {
  char room[PATH_MAX];
  const char *name = trace >= 0 ? file_of(fd, room) : NULL;
  if (!name) return (int)syscall(number, fd);
  pthread_mutex_lock(&lock);
  uint64_t id = ((uint64_t)getpid() << 28) | ++syncs;
  put('B', who, name, id, NULL, 0);
  pthread_mutex_unlock(&lock);
  int result = (int)syscall(number, fd);
  int kept = errno;
  pthread_mutex_lock(&lock);
  if (result == 0) put('S', who, name, id, NULL, 0);
  pthread_mutex_unlock(&lock);
  errno = kept;
  return result;
}
int fsync(int fd) { return do_sync(SYS_fsync, fd, caller(__builtin_return_address(0))); }
int fdatasync(int fd) { return do_sync(SYS_fdatasync, fd, caller(__builtin_return_address(0))); }

int unlink(const char *path) {
  char room[PATH_MAX];
  const char *name = trace >= 0 && realpath(path, room) ? name_of(room) : NULL;
  pthread_mutex_lock(&lock);
  int result = (int)syscall(SYS_unlinkat, AT_FDCWD, path, 0);
  int kept = errno;
  if (name && result == 0) put('U', 'n', name, 0, NULL, 0);
  errno = kept;
  pthread_mutex_unlock(&lock);
  return result;
}

static int do_open(int directory, const char *path, int flags, mode_t mode) {
  if (trace < 0 || !(flags & O_CREAT)) return (int)syscall(SYS_openat, directory, path, flags, mode);
  char room[PATH_MAX];
  pthread_mutex_lock(&lock);
  int fresh = faccessat(directory, path, F_OK, 0) != 0;
  int fd = (int)syscall(SYS_openat, directory, path, flags, mode);
  int kept = errno;
  const char *name = fd >= 0 && (fresh || (flags & O_TRUNC)) ? file_of(fd, room) : NULL;
  if (name && fresh) put('C', 'n', name, 0, NULL, 0);
  else if (name) put('T', 'n', name, 0, NULL, 0);
  errno = kept;
  pthread_mutex_unlock(&lock);
  return fd;
}

#define OPEN(signature, directory)                                                                                       \
  signature {                                                                                                            \
    mode_t mode = 0;                                                                                                     \
    if (flags & O_CREAT) {                                                                                               \
      va_list more;                                                                                                      \
      va_start(more, flags);                                                                                             \
      mode = va_arg(more, mode_t);                                                                                       \
      va_end(more);                                                                                                      \
    }                                                                                                                    \
    return do_open(directory, path, flags, mode);                                                                        \
  }
OPEN(int open(const char *path, int flags, ...), AT_FDCWD)
OPEN(int open64(const char *path, int flags, ...), AT_FDCWD)
OPEN(int openat(int directory, const char *path, int flags, ...), directory)
OPEN(int openat64(int directory, const char *path, int flags, ...), directory)
