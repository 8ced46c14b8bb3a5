// Short laws that would lose against long approximations, looked up one by one.
//
// Many laws are a simple factor times, over or under a function of something simple. A sketch begins with
// such a factor, one of the dictionary's simplest entries, or none. Then comes a function, a power, or
// nothing, and below it the dictionary's best matches.
#pragma once

#include <optional>
#include <vector>

#include "evolution/splicing.hpp"

namespace ddsr {

// Has its own working memory; each island has one.
class Sketches {
 public:
  Sketches(const Vocabulary& vocabulary, const Drawing& drawing, const Dictionary& dictionary,
           bool is_scale_free, const Units* units = nullptr);

  // Returns the sketch at the cursor and advances the cursor; nothing after the last sketch.
  std::optional<Formula> next(std::uint64_t& cursor);
  bool has_next(std::uint64_t cursor) const { return cursor / MOST_COMPLETED < n_beginnings_; }

 private:
  static constexpr std::size_t MOST_FACTORS = 64;
  static constexpr std::size_t N_COMPLETED = 5;
  static constexpr std::size_t MOST_COMPLETED =
      N_COMPLETED + Dictionary::N_FAMILIES * Dictionary::N_OF_FAMILY;

  // A formula with a constant as a placeholder for the unknown part.
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
  const Units* units_;
  std::vector<Wrapper> wrappers_;  // all possible functions and powers above the unknown part
  Wanted wanted_;
  FloatBuffer scratch_;
  std::size_t n_beginnings_;
  // The completions of the last beginning, which are returned one by one.
  std::optional<std::uint64_t> beginning_;
  std::vector<Formula> completed_;
};

}  // namespace ddsr
