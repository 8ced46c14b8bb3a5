// Threads of the core's own.
#pragma once

#include <algorithm>
#include <atomic>
#include <cstddef>
#include <exception>
#include <mutex>
#include <thread>
#include <vector>

namespace ddsr {

// Calls worker(i) for i = 0 … n-1, where each thread has a worker of its own from make_worker(). Threads are
// started for the call: that costs microseconds, survives a fork, and leaves nothing behind. Which thread
// takes which index is left to chance, so a worker must write by index and carry nothing over.
template <typename MakeWorker>
void parallel_for(std::size_t n, int n_threads, MakeWorker make_worker) {
  constexpr std::size_t BLOCK = 8;
  std::atomic<std::size_t> next{0};
  std::exception_ptr failure;
  std::mutex failure_lock;
  auto run = [&] {
    try {
      auto worker = make_worker();
      for (std::size_t begin; (begin = next.fetch_add(BLOCK)) < n;)
        for (std::size_t i = begin; i < std::min(begin + BLOCK, n); ++i) worker(i);
    } catch (...) {
      const std::lock_guard hold(failure_lock);
      if (!failure) failure = std::current_exception();
      next = n;
    }
  };
  const std::size_t n_useful = std::min(static_cast<std::size_t>(std::max(n_threads, 1)), (n + BLOCK - 1) / BLOCK);
  std::vector<std::thread> others;
  for (std::size_t i = 1; i < n_useful; ++i) others.emplace_back(run);
  run();
  for (std::thread& thread : others) thread.join();
  if (failure) std::rethrow_exception(failure);
}

}  // namespace ddsr
