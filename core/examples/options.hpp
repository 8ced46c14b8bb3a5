// What training examples are to be like. docs/prior-data.md has the recipe.
#pragma once

namespace ddsr {

struct ExampleOptions {
  int max_variables = 10;                       // columns of X
  int max_length = 32;                          // tokens of an expression
  int max_constants = 10;                       // constants of an expression
  int n_rows = 128;                             // rows that are handed out, at most
  int fewest_rows = 20;                         // of a data set, whose size is log-uniform
  int most_rows = 1000;                         //   between these; of more than n_rows, n_rows are seen
  double noisy_share = 0.5;                     // of the examples, the rest has none
  double least_noise = 1e-4, most_noise = 0.1;  // of the RMS of y, log-uniform
  double irrelevant_share = 0.3;                // of the examples have inputs that y does not depend on
  double unstructured_share = 0.25;             // of the examples are random trees
};

}  // namespace ddsr
