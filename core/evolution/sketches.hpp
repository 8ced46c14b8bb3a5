// Short laws that long expressions imitate, looked up one by one.
//
// Laws are often a simple factor times, over or under a function of something simple. There are so many ways
// to begin one: y itself, or with one of the dictionary's simplest entries as such a factor, and then a
// function, a power, or nothing. Of each, the expressions that complete it best.
#pragma once

#include <optional>
#include <vector>

#include "evolution/splicing.hpp"

namespace ddsr {

// Works in its own memory; one for each island.
class Sketches {
 public:
  Sketches(const Vocabulary& vocabulary, const Drawing& drawing, const Dictionary& dictionary,
           bool is_scale_free);

  // The one at the cursor, which goes on to the next; none behind the last.
  std::optional<Formula> next(std::uint64_t& cursor);
  bool has_next(std::uint64_t cursor) const { return cursor / MOST_COMPLETED < n_beginnings_; }

 private:
  static constexpr std::size_t MOST_FACTORS = 64;
  static constexpr std::size_t N_COMPLETED = 5;
  static constexpr std::size_t MOST_COMPLETED =
      N_COMPLETED + Dictionary::N_FAMILIES * Dictionary::N_OF_FAMILY;

  // A formula with a number where something is to be found.
  struct Outline {
    Formula formula;
    int place;
  };
  std::optional<Outline> outline_of(std::size_t index) const;
  std::vector<Formula> completed(std::uint64_t beginning);
  Dictionary::Match of_one_sign(Dictionary::Match match) const;

  const Vocabulary& vocabulary_;
  const Drawing& drawing_;
  const Dictionary& dictionary_;
  const Splicing splicing_;
  const bool is_scale_free_;
  std::vector<Wrapper> wrappers_;  // all that there are
  Wanted wanted_;
  FloatBuffer scratch_;
  std::size_t n_beginnings_;
  // The last that were looked up, to be asked for one by one.
  std::optional<std::uint64_t> beginning_;
  std::vector<Formula> completed_;
};

}  // namespace ddsr
