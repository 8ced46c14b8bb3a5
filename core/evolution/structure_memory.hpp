// How often each structure was tried, within bounded memory.
#pragma once

#include <cstdint>
#include <vector>

namespace ddsr {

// Two generations: new structures enter the young one. When that is full it becomes the old one, and the
// previous old one is forgotten. So at least the last half of the capacity is always remembered.
class StructureMemory {
 public:
  explicit StructureMemory(int capacity);

  int count(std::uint64_t structure) const;
  void add(std::uint64_t structure);

  struct Entry {
    std::uint64_t structure;
    std::uint8_t count;
  };
  // Everything remembered, to be passed to `restore`.
  struct Generations {
    std::vector<Entry> old, young;
  };
  Generations entries() const;
  void restore(const Generations& generations);

 private:
  // A hash table with linear probing that grows as it fills. A count of 0 marks an empty slot.
  struct Table {
    std::vector<Entry> slots = std::vector<Entry>(64);
    std::size_t n_used = 0;

    const Entry& find(std::uint64_t structure) const;
    void set(std::uint64_t structure, std::uint8_t count);
    std::vector<Entry> entries() const;
  };

  std::size_t most_young_;
  Table old_, young_;
};

}  // namespace ddsr
