#include "bindings.hpp"

NB_MODULE(_core, module) {
  module.doc() = "The native core of ddsr: trees, grammar and engine.";
  ddsr::bind_trees(module);
  ddsr::bind_grammar(module);
}
