#pragma once

#include <pthread.h>

#include <cstddef>

namespace legato {

/// While it exists, this process can start a few new threads at most: each asks for a stack of a
/// quarter of the address space.
class ThreadShortage {
 public:
  ThreadShortage() {
    pthread_getattr_default_np(&before_);
    pthread_attr_t huge;
    pthread_attr_init(&huge);
    pthread_attr_setstacksize(&huge, size_t{1} << 45);
    pthread_setattr_default_np(&huge);
    pthread_attr_destroy(&huge);
  }
  ThreadShortage(const ThreadShortage&) = delete;
  ThreadShortage& operator=(const ThreadShortage&) = delete;
  ~ThreadShortage() {
    pthread_setattr_default_np(&before_);
    pthread_attr_destroy(&before_);
  }

 private:
  pthread_attr_t before_;
};

}  // namespace legato
