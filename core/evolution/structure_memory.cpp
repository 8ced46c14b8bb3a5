#include "evolution/structure_memory.hpp"

#include <algorithm>
#include <limits>
#include <utility>

namespace ddsr {

const StructureMemory::Entry& StructureMemory::Table::find(std::uint64_t structure) const {
  const std::size_t mask = slots.size() - 1;  // the number of slots is a power of 2
  std::size_t at = structure & mask;
  while (slots[at].count != 0 && slots[at].structure != structure) at = (at + 1) & mask;
  return slots[at];
}

void StructureMemory::Table::set(std::uint64_t structure, std::uint8_t count) {
  if (2 * (n_used + 1) > slots.size()) {
    const std::vector<Entry> all = std::exchange(slots, std::vector<Entry>(2 * slots.size()));
    for (const Entry& entry : all)
      if (entry.count != 0) const_cast<Entry&>(find(entry.structure)) = entry;
  }
  Entry& entry = const_cast<Entry&>(find(structure));
  n_used += entry.count == 0;
  entry = {structure, count};
}

std::vector<StructureMemory::Entry> StructureMemory::Table::entries() const {
  std::vector<Entry> all;
  for (const Entry& entry : slots)
    if (entry.count != 0) all.push_back(entry);
  // The slot of an entry depends on the order of insertion. Sorting makes the result independent of it.
  std::sort(all.begin(), all.end(), [](const Entry& a, const Entry& b) { return a.structure < b.structure; });
  return all;
}

StructureMemory::StructureMemory(int capacity)
    : most_young_(static_cast<std::size_t>(std::max(capacity / 2, 1))) {}

int StructureMemory::count(std::uint64_t structure) const {
  const int young = young_.find(structure).count;
  return young > 0 ? young : old_.find(structure).count;
}

void StructureMemory::add(std::uint64_t structure) {
  const int tries = std::min<int>(count(structure) + 1, std::numeric_limits<std::uint8_t>::max());
  if (young_.n_used >= most_young_ && young_.find(structure).count == 0)
    old_ = std::exchange(young_, Table{});
  young_.set(structure, static_cast<std::uint8_t>(tries));
}

StructureMemory::Generations StructureMemory::entries() const { return {old_.entries(), young_.entries()}; }

void StructureMemory::restore(const Generations& generations) {
  old_ = young_ = Table{};
  for (const Entry& entry : generations.old) old_.set(entry.structure, entry.count);
  for (const Entry& entry : generations.young) young_.set(entry.structure, entry.count);
}

}  // namespace ddsr
