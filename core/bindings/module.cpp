#include "bindings/bindings.hpp"

NB_MODULE(_core, module) {
  module.doc() =
      "The native core of ddsr: trees, grammar, engine, simplifier, evolution, price, prior and examples.";
  // Vocabularies that a script keeps until it ends are not a leak to report.
  nb::set_leak_warnings(false);
  ddsr::bind_trees(module);
  ddsr::bind_limits(module);
  ddsr::bind_grammar(module);
  ddsr::bind_engine(module);
  ddsr::bind_simplify(module);
  ddsr::bind_evolution(module);
  ddsr::bind_price(module);
  ddsr::bind_prior(module);
  ddsr::bind_examples(module);
}
