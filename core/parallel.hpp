// A loop shared among threads. Each index is worked on once and writes only its own results, so that nothing
// but the time taken depends on the number of threads.
#pragma once

#include <algorithm>
#include <atomic>
#include <cstddef>
#include <exception>
#include <mutex>
#include <system_error>
#include <thread>
#include <vector>

namespace ddsr {

// Calls fn(begin, end) for blocks of at most `block` indices that together make up [0, n). Threads take the
// next block when done with theirs. The first exception stops the loop and is thrown again in the caller.
template <typename Fn>
void parallel_blocks(std::size_t n, int n_threads, std::size_t block, Fn&& fn) {
  std::atomic<std::size_t> next{0};
  std::exception_ptr failure;
  std::mutex failure_lock;
  auto work = [&]() noexcept {
    for (std::size_t begin; (begin = next.fetch_add(block)) < n;) try {
        fn(begin, std::min(n, begin + block));
      } catch (...) {
        const std::lock_guard guard(failure_lock);
        if (!failure) failure = std::current_exception();
        next = n;
      }
  };
  const std::size_t n_blocks = (n + block - 1) / block;
  std::vector<std::thread> helpers;
  try {
    while (helpers.size() + 1 < std::min(n_blocks, static_cast<std::size_t>(std::max(n_threads, 1))))
      helpers.emplace_back(work);
  } catch (const std::system_error&) {
    // the system gives no more threads: those there are do the work
  }
  work();
  for (std::thread& helper : helpers) helper.join();
  if (failure) std::rethrow_exception(failure);
}

// Calls fn(i) for every i of [0, n).
template <typename Fn>
void parallel_for(std::size_t n, int n_threads, Fn&& fn) {
  // small enough that threads end together, large enough that taking a block costs nothing beside it
  const std::size_t threads = static_cast<std::size_t>(std::max(n_threads, 1));
  const std::size_t block = std::clamp<std::size_t>(n / (8 * threads), 1, 64);
  parallel_blocks(n, n_threads, block, [&](std::size_t begin, std::size_t end) {
    for (std::size_t i = begin; i < end; ++i) fn(i);
  });
}

}  // namespace ddsr
