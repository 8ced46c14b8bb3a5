#include "simplify/simplify.hpp"

#include <algorithm>
#include <utility>

namespace ddsr {

Simplifier::Simplifier(const Vocabulary& vocabulary, std::vector<Sign> signs)
    : vocabulary_(vocabulary), algebra_(forms_, vocabulary), writer_(forms_, vocabulary) {
  set_signs(std::move(signs));
}

void Simplifier::set_signs(std::vector<Sign> signs) {
  signs_ = std::move(signs);
  signs_.resize(static_cast<std::size_t>(vocabulary_.n_variables()), Sign::Any);
}

// The rules for signs take more apart, which does not always lead to shorter expressions. So they are applied
// only to the result of the other rules.
Formula Simplifier::simplify(const Formula& formula) {
  Formula best = shortened(formula, false);
  if (std::ranges::all_of(signs_, [](Sign sign) { return sign == Sign::Any; })) return best;
  while (true) {
    const Formula next = shortened(best, true);
    if (cost_of(vocabulary_, next) >= cost_of(vocabulary_, best)) return best;
    best = shortened(next, false);
  }
}

// The written form may allow further rules. Since it is replaced only by a strictly better one, this ends,
// and the result is a fixed point.
Formula Simplifier::shortened(const Formula& formula, bool uses_signs) {
  uses_signs_ = uses_signs;
  algebra_.use_signs(uses_signs);
  Formula best = formula;
  Cost cost = cost_of(vocabulary_, best);
  while (true) {
    const int form = read(best);
    if (writer_.cost(form) >= cost) return best;
    Formula next = writer_.write(form);
    const Cost next_cost = cost_of(vocabulary_, next);
    if (next_cost >= cost) return best;
    best = std::move(next);
    cost = next_cost;
  }
}

int Simplifier::read(const Formula& formula) {
  forms_.clear();
  writer_.clear();
  open_.clear();
  auto constant = formula.constants.begin();
  int complete = -1;
  for (const TokenId id : formula.tokens) {
    const Token& token = vocabulary_[id];
    if (token.kind == Kind::Operator) {
      open_.push_back({id, -1});
      continue;
    }
    if (token.kind == Kind::Variable)
      complete = forms_.variable(id, sign_of(token));
    else
      complete = forms_.number(token.kind == Kind::One ? 1.0 : *constant++);
    while (!open_.empty()) {
      Open& last = open_.back();
      if (vocabulary_.arity(last.token) == 2 && last.first < 0) {
        last.first = complete;
        break;
      }
      const Open done = last;
      open_.pop_back();
      complete =
          done.first < 0 ? combine(done.token, complete, -1) : combine(done.token, done.first, complete);
    }
  }
  writer_.measure_new_forms();
  return complete;
}

int Simplifier::combine(TokenId op, int a, int b) {
  writer_.measure_new_forms();
  int form = algebra_.apply(vocabulary_[op].op, a, b);
  writer_.measure_new_forms();
  // If the input is finite in fewer places than the form, its notation is not valid for the form.
  if (!algebra_.domain_grew()) {
    writer_.offer(form, op, a, b);
  } else if (writer_.cost(form) >= UNWRITABLE) {
    form = forms_.call(vocabulary_[op].op, a, b);
    writer_.measure_new_forms();
  }
  return form;
}

Formula simplify(const Vocabulary& vocabulary, const Formula& formula) {
  return Simplifier(vocabulary).simplify(formula);
}

}  // namespace ddsr
