// Memory aligned for the widest vectors and not cleared, since kernels write before they read.
#pragma once

#include <cstddef>
#include <new>
#include <utility>
#include <vector>

namespace ddsr {

template <typename T>
struct AlignedAllocator {
  using value_type = T;
  static constexpr std::align_val_t ALIGNMENT{64};

  AlignedAllocator() = default;
  template <typename U>
  AlignedAllocator(const AlignedAllocator<U>&) {}
  T* allocate(std::size_t n) { return static_cast<T*>(::operator new(n * sizeof(T), ALIGNMENT)); }
  void deallocate(T* p, std::size_t) { ::operator delete(p, ALIGNMENT); }
  template <typename U>
  void construct(U* p) {
    ::new (static_cast<void*>(p)) U;  // leaves numbers uninitialised, where U() would set them to 0
  }
  template <typename U, typename... Arguments>
  void construct(U* p, Arguments&&... arguments) {
    ::new (static_cast<void*>(p)) U(std::forward<Arguments>(arguments)...);
  }
  template <typename U>
  bool operator==(const AlignedAllocator<U>&) const {
    return true;
  }
};

using Buffer = std::vector<double, AlignedAllocator<double>>;

}  // namespace ddsr
