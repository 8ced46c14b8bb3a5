// The settings of training examples. docs/prior-data.md has the recipe.
#pragma once

namespace ddsr {

struct ExampleOptions {
  int max_variables = 10;                       // columns of X
  int max_length = 32;                          // tokens of an expression
  int max_constants = 10;                       // constants of an expression
  int n_rows = 128;                             // the most rows per example
  int fewest_rows = 20;                         // the size of a data set is log-uniform between
  int most_rows = 1000;                         //   these; of a larger one, n_rows are used
  double noisy_share = 0.5;                     // share of examples with noise
  double least_noise = 1e-4, most_noise = 0.1;  // relative to the RMS of y, log-uniform
  double irrelevant_share = 0.3;                // share of examples with inputs that y does not depend on
  double unstructured_share = 0.25;             // share of random trees
};

}  // namespace ddsr
