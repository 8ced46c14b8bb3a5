// How often each structure was tried, within bounded memory.
#pragma once

#include <cstdint>
#include <vector>

namespace ddsr {

// Two generations: what is tried enters the young one; when that is full it becomes the old one, and what
// only the old one knew is forgotten. So the last half of the capacity, at least, is always remembered.
class StructureMemory {
 public:
  explicit StructureMemory(int capacity);

  int count(std::uint64_t structure) const;
  void add(std::uint64_t structure);

  struct Entry {
    std::uint64_t structure;
    std::uint8_t count;
  };
  // Everything that is remembered, the old generation first; `restore` takes it back.
  struct Generations {
    std::vector<Entry> old, young;
  };
  Generations entries() const;
  void restore(const Generations& generations);

 private:
  // A hash table with linear probing; a count of 0 is an empty slot. It grows as it fills.
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
