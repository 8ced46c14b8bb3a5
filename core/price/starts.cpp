#include "price/starts.hpp"

#include <algorithm>
#include <cmath>

#include "random.hpp"

namespace ddsr {

namespace {

constexpr std::size_t MOST_ROWS = 32;
constexpr double SPREAD = 0.7;  // of the logarithm of a random size
constexpr double EXPONENTS[] = {1.5, 0.5, 2.0, -0.5, 0.75, 3.0, -1.5, 1.2};
constexpr double CHANCE_OF_MINUS = 0.3;
constexpr std::uint64_t STREAM = 0x5354;

}  // namespace

Starts::Starts(const Dataset& data) {
  const std::size_t n = std::min(data.n_rows(), MOST_ROWS);
  const Columns all = data.columns(0);
  double squares = 0.0, sum = 0.0;
  for (std::size_t i = 0; i < data.n_rows(); ++i) squares += data.y()[i] * data.y()[i], sum += data.y()[i];
  typical_ = std::sqrt(squares / static_cast<double>(data.n_rows())) * (sum < 0.0 ? -1.0 : 1.0);
  for (std::size_t column = 0; column < data.n_columns(); ++column) {
    Values values;
    for (std::size_t i = 0; i < n; ++i)  // evenly over the rows
      values.push_back(all[static_cast<int>(column)][i * data.n_rows() / n]);
    columns_.push_back(std::move(values));
  }
}

std::vector<double> Starts::draw(const Structure& structure, std::uint64_t seed, std::uint32_t key,
                                 int start) {
  constants_.clear();
  seed_ = seed, key_ = key, start_ = start, n_drawn_ = 0;
  values(structure, typical_);
  return constants_;
}

// The root mean square; 1 if it is 0 or not finite.
double Starts::size(const Values& values) const {
  double squares = 0.0;
  for (const double value : values) squares += value * value;
  const double size = std::sqrt(squares / static_cast<double>(values.size()));
  return std::isfinite(size) && size > 0.0 ? size : 1.0;
}

double Starts::around(double size) {
  if (start_ == 0) return size;
  const auto position = static_cast<std::uint32_t>(start_) << 16 | n_drawn_++;
  return size * std::exp(SPREAD * normal(random_block(seed_, STREAM, key_, position)));
}

double Starts::sign(double chance_of_minus) {
  const auto position = static_cast<std::uint32_t>(start_) << 16 | n_drawn_++;
  const RandomBlock block = random_block(seed_, STREAM, key_, position);
  return uniform_double(block[0], block[1]) < chance_of_minus ? -1.0 : 1.0;
}

// `target` is the wanted size; 0: none.
Starts::Values Starts::values(const Structure& structure, double target) {
  const std::size_t n = columns_.empty() ? 1 : columns_.front().size();
  switch (structure.symbol) {
    case Symbol::Variable:
      return columns_[static_cast<std::size_t>(structure.variable)];
    case Symbol::Number:
      return Values(n, structure.number);
    case Symbol::Constant: {
      constants_.push_back(around(target == 0.0 ? 1.0 : target));
      return Values(n, constants_.back());
    }
    case Symbol::Sum:
    case Symbol::Product:
      return list(structure, target);
    case Symbol::Power: {
      Values base = values(structure.parts[0].structure, 0.0);
      const Structure& given = structure.parts[1].structure;
      Values exponent(n, 0.0);
      if (given.is_constant()) {
        constants_.push_back(EXPONENTS[static_cast<std::size_t>(start_) % std::size(EXPONENTS)]);
        exponent.assign(n, constants_.back());
      } else {
        exponent = values(given, 0.0);
      }
      for (std::size_t i = 0; i < n; ++i) base[i] = std::pow(base[i], exponent[i]);
      return base;
    }
    case Symbol::Other: {
      Values first = values(structure.parts.front().structure, 0.0);
      const Values last = structure.parts.size() == 2 ? values(structure.parts.back().structure, 0.0) : first;
      for (std::size_t i = 0; i < n; ++i) first[i] = value_of(structure.op, first[i], last[i]);
      return first;
    }
    default: {
      Values argument = values(structure.parts[0].structure, 0.0);
      const Op op = op_of(structure.symbol);
      for (double& value : argument) value = value_of(op, value);
      return argument;
    }
  }
}

// A fitted factor or term is chosen so that the whole has its natural size.
Starts::Values Starts::list(const Structure& structure, double target) {
  const bool is_product = structure.symbol == Symbol::Product;
  const bool has_constant = structure.parts.front().structure.is_constant();
  const std::size_t place = constants_.size();
  if (has_constant) constants_.push_back(0.0);
  Values whole(columns_.empty() ? 1 : columns_.front().size(), is_product ? 1.0 : 0.0);
  for (std::size_t p = has_constant ? 1 : 0; p < structure.parts.size(); ++p) {
    const Structure::Part& part = structure.parts[p];
    const Values others = values(part.structure, is_product ? 0.0 : target);
    for (std::size_t i = 0; i < whole.size(); ++i) {
      if (is_product)
        whole[i] = part.is_inverse ? whole[i] / others[i] : whole[i] * others[i];
      else
        whole[i] += part.is_inverse ? -others[i] : others[i];
    }
  }
  if (!has_constant) return whole;
  const double wanted = around(target != 0.0 ? target : (is_product ? 1.0 : size(whole)));
  double value = wanted / (is_product ? size(whole) : 1.0);
  // At the top the sign is that of y; inside a function it is unknown.
  value *= is_product && target == 0.0 ? sign(0.5)
                                       : (start_ == 0 ? 1.0 : sign(is_product ? 0.1 : CHANCE_OF_MINUS));
  constants_[place] = value;
  for (double& each : whole) each = is_product ? each * value : each + value;
  return whole;
}

}  // namespace ddsr
