// Training examples for the prior: expressions in standard form with data computed from them.
//
// Example i depends only on (seed, i) and the options.
#pragma once

#include "engine/program.hpp"
#include "examples/inputs.hpp"
#include "examples/options.hpp"
#include "examples/probe.hpp"
#include "examples/standard_form.hpp"
#include "grammar/grammar.hpp"

namespace ddsr {

// Output of one example: rows of the caller's arrays, filled with PAD and 0.
struct ExampleSlot {
  TokenId* tokens;    // (max_length,), breadth-first
  double* constants;  // (max_constants,)
  float* x;           // (n_rows, max_variables)
  float* y;           // (n_rows,)
  float* y_clean;     // (n_rows,), or null
  std::int32_t* n_variables;
  std::int32_t* n_rows;
  float* noise;
};

// Reuses its memory from one example to the next. Each thread has its own. Grammar and options must outlive
// it.
class ExampleMaker {
 public:
  ExampleMaker(const Grammar& grammar, const ExampleOptions& options)
      : grammar_(grammar), options_(options), standardizer_(grammar.vocabulary) {}

  // Throws std::runtime_error if thousands of draws give no valid example.
  void make(std::uint64_t seed, std::uint64_t index, const ExampleSlot& slot);

 private:
  bool draw(RandomSource& random);
  bool put_data_under(const Formula& drawn, bool must_be_positive, RandomSource& random);
  bool is_accepted_length(RandomSource& random) const;
  bool has_usable_values();
  void write(const ExampleSlot& slot, RandomSource& random) const;

  const Grammar& grammar_;
  const ExampleOptions& options_;
  Standardizer standardizer_;
  Evaluator evaluator_;
  Probe probe_;
  // of the current example
  Inputs inputs_;
  Formula formula_;  // breadth-first
  Program program_;
  double noise_ = 0.0;
  const double* values_ = nullptr;
};

}  // namespace ddsr
