// Threads of the core. Each index is handled once and writes only its own results, so the number of threads
// affects only the time.
#pragma once

#include <algorithm>
#include <atomic>
#include <cstddef>
#include <exception>
#include <mutex>
#include <thread>
#include <vector>

namespace ddsr {

// Calls worker(i) for every i of [0, n). Each thread has its own worker from make_worker() and takes `block`
// indices at a time. Threads are started for each call: this costs microseconds, survives a fork, and leaves
// nothing behind. The first exception stops the loop and is rethrown in the caller.
template <typename MakeWorker>
void parallel_with(std::size_t n, int n_threads, std::size_t block, MakeWorker make_worker) {
  std::atomic<std::size_t> next{0};
  std::exception_ptr failure;
  std::mutex failure_lock;
  auto work = [&]() noexcept {
    try {
      auto worker = make_worker();
      for (std::size_t begin; (begin = next.fetch_add(block)) < n;)
        for (std::size_t i = begin; i < std::min(n, begin + block); ++i) worker(i);
    } catch (...) {
      const std::lock_guard guard(failure_lock);
      if (!failure) failure = std::current_exception();
      next = n;
    }
  };
  const std::size_t n_blocks = (n + block - 1) / block;
  const std::size_t n_useful = std::min(n_blocks, static_cast<std::size_t>(std::max(n_threads, 1)));
  std::vector<std::thread> others;
  try {
    while (others.size() + 1 < n_useful) others.emplace_back(work);
  } catch (const std::exception&) {
    // The system gives no more threads or memory: the existing threads do the work.
  }
  work();
  for (std::thread& thread : others) thread.join();
  if (failure) std::rethrow_exception(failure);
}

// Calls fn(i) for every i of [0, n).
template <typename Fn>
void parallel_for(std::size_t n, int n_threads, Fn fn) {
  // Small enough that threads end together, large enough that taking a block costs next to nothing.
  const std::size_t threads = static_cast<std::size_t>(std::max(n_threads, 1));
  const std::size_t block = std::clamp<std::size_t>(n / (8 * threads), 1, 64);
  parallel_with(n, n_threads, block, [&] { return fn; });
}

}  // namespace ddsr
