// The state of a refiner as bytes: numbers in the machine's own format, arrays preceded by their length.
// Everything read is checked, so malformed bytes are refused and do no other harm.
#include <algorithm>
#include <array>
#include <cstring>
#include <stdexcept>
#include <type_traits>

#include "evolution/refiner.hpp"
#include "expression/tree.hpp"

namespace ddsr {

namespace {

constexpr std::uint64_t FORMAT = 0x34656e6966657264u;  // includes the version
constexpr std::uint64_t FORMAT_3 = 0x33656e6966657264u;

[[noreturn]] void refuse(const char* reason) {
  throw std::invalid_argument(std::string("this is not a state of such a refiner: ") + reason);
}

// One description of the layout serves for writing and reading: an Archive does either.
class ByteWriter {
 public:
  static constexpr bool READS = false;
  std::string bytes;

  template <typename T>
  void number(const T& value) {
    static_assert(std::is_arithmetic_v<T>);
    bytes.append(reinterpret_cast<const char*>(&value), sizeof value);
  }
  template <typename T>
  void resize(const std::vector<T>& values) {
    number(static_cast<std::uint64_t>(values.size()));
  }
};

class ByteReader {
 public:
  static constexpr bool READS = true;
  explicit ByteReader(const std::string& bytes) : bytes_(bytes) {}

  template <typename T>
  void number(T& value) {
    static_assert(std::is_arithmetic_v<T>);
    if (bytes_.size() - at_ < sizeof value) refuse("it ends too early");
    std::memcpy(&value, bytes_.data() + at_, sizeof value);
    at_ += sizeof value;
  }
  template <typename T>
  void resize(std::vector<T>& values) {
    std::uint64_t n = 0;
    number(n);
    if (n > bytes_.size() - at_) refuse("it ends too early");  // every element takes at least one byte
    values.resize(n);
  }
  bool is_at_end() const { return at_ == bytes_.size(); }

  std::uint64_t format = FORMAT;

 private:
  const std::string& bytes_;
  std::size_t at_ = 0;
};

template <typename Archive, typename Numbers>
void numbers(Archive& archive, Numbers& values) {
  archive.resize(values);
  for (auto& value : values) archive.number(value);
}

template <typename Archive, typename AnyFormula>
void formula(Archive& archive, AnyFormula& value, const Grammar& grammar) {
  numbers(archive, value.tokens);
  numbers(archive, value.constants);
  if constexpr (Archive::READS) {
    if (find_flaw(grammar.vocabulary, value.tokens)) refuse("a formula is not complete");
    if (value.tokens.size() > static_cast<std::size_t>(grammar.rules.max_length))
      refuse("a formula is longer than the grammar allows");
    const int n = constants_before(grammar.vocabulary, value.tokens, static_cast<int>(value.tokens.size()));
    if (value.constants.size() != static_cast<std::size_t>(n)) refuse("a formula lacks constants");
  }
}

template <typename Archive, typename AnyIndividual>
void individual(Archive& archive, AnyIndividual& value, const Grammar& grammar) {
  formula(archive, value.formula, grammar);
  archive.number(value.log_loss);
  archive.number(value.scale);
  archive.number(value.offset);
  archive.number(value.birth);
  archive.number(value.structure);
}

template <typename Archive, typename Entries>
void famous(Archive& archive, Entries& entries, const Grammar& grammar) {
  archive.resize(entries);
  for (auto& entry : entries) {
    individual(archive, entry.individual, grammar);
    archive.number(entry.nrmse);
  }
}

template <typename Archive, typename Entries>
void listed(Archive& archive, Entries& entries, const Grammar& grammar) {
  archive.resize(entries);
  for (auto& entry : entries) {
    individual(archive, entry.individual, grammar);
    archive.number(entry.nrmse);
    archive.number(entry.length);
  }
}

// Format 3 had three more moves, and two more numbers per formula size in each island.
void moves_of_format_3(ByteReader& reader, Counters& value) {
  constexpr std::array<std::size_t, 9> KEPT{0, 1, 2, 3, 4, 6, 7, 10, 11};
  std::array<MoveCount, 12> moves;
  for (MoveCount& move : moves) reader.number(move.n_tried), reader.number(move.n_improved);
  for (std::size_t i = 0; i < KEPT.size(); ++i) value.moves[i] = moves[KEPT[i]];
}

void skip_sizes_of_format_3(ByteReader& reader) {
  std::vector<double> of_sizes;
  for (int i = 0; i < 2; ++i) numbers(reader, of_sizes);
}

template <typename Archive, typename AnyCounters>
void counters(Archive& archive, AnyCounters& value) {
  for (auto* count :
       {&value.n_steps, &value.n_evaluations, &value.n_duplicates, &value.n_failed_moves, &value.n_refused})
    archive.number(*count);
  if constexpr (Archive::READS)
    if (archive.format == FORMAT_3) return moves_of_format_3(archive, value);
  for (auto& move : value.moves) archive.number(move.n_tried), archive.number(move.n_improved);
}

// Without the hall of fame and the shortlist, which all islands share.
template <typename Archive, typename AnyState>
void island(Archive& archive, AnyState& state, const Problem& problem) {
  archive.resize(state.population);
  for (auto& value : state.population) individual(archive, value, problem.grammar);
  archive.number(state.oldest);
  for (auto* count : {&state.n_lives, &state.born_at, &state.improved_at, &state.next_sketch})
    archive.number(*count);
  archive.number(state.best_fitness);
  archive.number(state.credit);
  if constexpr (Archive::READS)
    if (archive.format == FORMAT_3) skip_sizes_of_format_3(archive);
  counters(archive, state.counters);
  if constexpr (Archive::READS) {
    if (state.population.size() > static_cast<std::size_t>(problem.options.island_size) ||
        state.oldest >= std::max<std::size_t>(state.population.size(), 1))
      refuse("a population is larger than the islands");
    if (std::max(state.born_at, state.improved_at) > state.counters.n_steps)
      refuse("an island lives in the future");
  }
}

template <typename Archive, typename AnyGenerations>
void memory(Archive& archive, AnyGenerations& generations) {
  for (auto* entries : {&generations.old, &generations.young}) {
    archive.resize(*entries);
    for (auto& entry : *entries) archive.number(entry.structure), archive.number(entry.count);
  }
}

}  // namespace

std::string Refiner::save() const {
  ByteWriter writer;
  writer.number(FORMAT);
  writer.number(static_cast<std::uint64_t>(islands_.size()));
  for (const auto& each : islands_) island(writer, each->state, problem_);
  famous(writer, hall_.entries(), problem_.grammar);
  listed(writer, shortlist_.entries(), problem_.grammar);
  const StructureMemory::Generations generations = surroundings_.memory.entries();
  memory(writer, generations);
  writer.resize(surroundings_.library);
  for (const Formula& each : surroundings_.library) formula(writer, each, problem_.grammar);
  writer.number(static_cast<std::uint64_t>(surroundings_.next_in_library));
  writer.number(n_slices_);
  writer.number(n_migrations_);
  return std::move(writer.bytes);
}

void Refiner::load(const std::string& bytes) {
  ByteReader reader(bytes);
  std::uint64_t n_islands = 0, next_in_library = 0, n_slices = 0, n_migrations = 0;
  reader.number(reader.format);
  if (reader.format != FORMAT && reader.format != FORMAT_3) refuse("it is of another format");
  reader.number(n_islands);
  if (n_islands != islands_.size()) refuse("it has another number of islands");
  std::vector<IslandState> states(n_islands);
  for (IslandState& state : states) island(reader, state, problem_);
  std::vector<Famous> entries;
  famous(reader, entries, problem_.grammar);
  std::vector<Listed> on_list;
  listed(reader, on_list, problem_.grammar);
  StructureMemory::Generations generations;
  memory(reader, generations);
  std::vector<Formula> library;
  reader.resize(library);
  for (Formula& each : library) formula(reader, each, problem_.grammar);
  for (std::uint64_t* value : {&next_in_library, &n_slices, &n_migrations}) reader.number(*value);
  if (!reader.is_at_end()) refuse("there is something behind its end");
  if (next_in_library > 0 && next_in_library >= library.size()) refuse("its library is smaller than it says");

  // Earlier versions priced by another code, and their lists could be longer.
  for (Listed& each : on_list)
    each.length = problem_.length(each.individual.formula, log_loss_of(each.nrmse));
  std::stable_sort(on_list.begin(), on_list.end(),
                   [](const Listed& a, const Listed& b) { return a.length < b.length; });
  if (on_list.size() > Shortlist::CAPACITY) on_list.resize(Shortlist::CAPACITY);
  if (library.size() > LIBRARY_SIZE) library.resize(LIBRARY_SIZE), next_in_library = 0;
  hall_ = HallOfFame(std::move(entries));
  shortlist_ = Shortlist(std::move(on_list));
  for (std::size_t i = 0; i < islands_.size(); ++i) {
    islands_[i]->take_tried();
    islands_[i]->state = std::move(states[i]);
    islands_[i]->state.hall = hall_, islands_[i]->state.shortlist = shortlist_;
  }
  surroundings_.memory.restore(generations);
  surroundings_.library = std::move(library);
  surroundings_.next_in_library = next_in_library;
  n_slices_ = n_slices, n_migrations_ = n_migrations;
}

}  // namespace ddsr
