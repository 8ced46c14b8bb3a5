#include "simplify/writer.hpp"

#include <algorithm>

namespace ddsr {

Writer::Writer(Forms& forms, const Vocabulary& vocabulary)
    : forms_(forms), vocabulary_(vocabulary), one_(vocabulary.one()), constant_(vocabulary.constant()) {
  std::ranges::fill(tokens_, TokenId{-1});
  for (TokenId id = 0; id < vocabulary.n_operators(); ++id)
    tokens_[static_cast<std::size_t>(vocabulary[id].op)] = id;
}

Writer::Entry& Writer::entry(int form) {
  if (entries_.size() < static_cast<std::size_t>(forms_.size()))
    entries_.resize(static_cast<std::size_t>(forms_.size()));
  return entries_[static_cast<std::size_t>(form)];
}

// From the leaves up, so that computing a cost never goes deeper than a form's own operands.
void Writer::measure_new_forms() {
  for (int form = static_cast<int>(entries_.size()); form < forms_.size(); ++form)
    if (entry(form).cost < 0) measure(form);
}

Cost Writer::cost(int form) {
  if (entry(form).cost < 0) measure(form);
  return entry(form).cost;
}

void Writer::measure(int form) {
  entry(form).cost = UNWRITABLE;  // during the computation, so that a form is not used to write itself
  const std::size_t begin = items_.size();
  put_own_way(form);
  const Cost cost = cost_from(begin);
  items_.resize(begin);
  entry(form).cost = cost;
}

void Writer::offer(int form, TokenId op, int a, int b) {
  Cost cost_given = cost_of_token(vocabulary_[op], 0.0) + cost(a) + (b < 0 ? 0 : cost(b));
  if (vocabulary_[op].op == Op::Pow && forms_.is_number(b)) cost_given -= exponent_discount(forms_[b].value);
  Entry& known = entry(form);
  // Ties go to the notation of the input, which its reader knows.
  if (cost_given <= known.cost && cost_given < UNWRITABLE) known = {cost_given, op, a, b};
}

Cost Writer::cost_from(std::size_t begin) {
  Cost total = 0;
  for (std::size_t i = begin; i < items_.size() && total < UNWRITABLE; ++i) {
    const Item item = items_[i];
    if (item.form >= 0)
      total += cost(item.form);
    else if (item.token < 0)
      total += UNWRITABLE;
    else
      total += cost_of_token(vocabulary_[item.token], item.value) -
               (item.is_exponent ? exponent_discount(item.value) : 0);
  }
  return std::min(total, UNWRITABLE);
}

Formula Writer::write(int form) {
  Formula result;
  stack_.assign(1, {-1, 0.0, form});
  while (!stack_.empty()) {
    const Item item = stack_.back();
    stack_.pop_back();
    if (item.form < 0) {
      result.tokens.push_back(item.token);
      if (item.token == constant_) result.constants.push_back(item.value);
      continue;
    }
    items_.clear();
    const Entry& known = entry(item.form);
    if (known.given >= 0) {
      items_.push_back({known.given, 0.0, -1});
      put_form(known.a);
      if (known.b >= 0) put_form(known.b);
    } else {
      put_own_way(item.form);
    }
    stack_.insert(stack_.end(), items_.rbegin(), items_.rend());
  }
  items_.clear();
  return result;
}

void Writer::put_op(Op op) { items_.push_back({tokens_[static_cast<std::size_t>(op)], 0.0, -1}); }

void Writer::put_number(double value) {
  if (value == 1.0 && one_ >= 0)
    items_.push_back({one_, 0.0, -1});
  else
    items_.push_back({constant_, value, -1});  // no token if the vocabulary has no constant: unwritable
}

void Writer::put_own_way(int id) {
  const Form form = forms_[id];
  const auto parts = forms_.parts(id);
  switch (form.shape) {
    case Shape::Number:
      return put_number(form.value);
    case Shape::Variable:
      return items_.push_back({static_cast<TokenId>(form.a), 0.0, -1});
    case Shape::Sum:
      return put_sum(form.value, {parts.begin(), parts.end()});
    case Shape::Product:
      return put_product(1.0, {parts.begin(), parts.end()});
    case Shape::Call:
      put_op(form.op);
      put_form(form.a);
      if (form.b >= 0) put_form(form.b);
  }
}

int Writer::negated(int form) {
  const auto parts = forms_.parts(form);
  std::vector<Part> terms(parts.begin(), parts.end());
  for (Part& term : terms) term.weight = -term.weight;
  return forms_.sum(-forms_[form].value, terms);
}

}  // namespace ddsr
