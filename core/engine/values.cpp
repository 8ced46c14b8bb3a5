#include "engine/values.hpp"

#include <algorithm>

#include "engine/evaluate.hpp"
#include "parallel.hpp"

namespace ddsr {

namespace {

std::size_t n_blocks(Rows rows) { return (rows.n_rows + BLOCK_ROWS - 1) / BLOCK_ROWS; }

std::vector<Program> compile_all(const Vocabulary& vocabulary, const std::vector<Job>& jobs) {
  std::vector<Program> programs;
  for (const Job& job : jobs) programs.push_back(compile(vocabulary, job.tokens));
  return programs;
}

// Evaluates one block of rows of one expression. Each thread has its own.
class BlockWorker {
 public:
  BlockWorker(Rows rows, bool keeps_values) : rows_(rows), n_kept_(keeps_values ? 1 : 0) {}

  // Returns the number of rows in the block. `root` is set to their values.
  int run(const Program& program, const Job& job, std::size_t block, const double*& root) {
    if (program_ != &program) {
      program_ = &program;
      evaluator_.load(program, BLOCK_ROWS, n_kept_);
      evaluator_.set_constants(job.constants.data());
    }
    evaluator_.forget(0);
    const std::size_t begin = block * BLOCK_ROWS;
    const int n = static_cast<int>(std::min<std::size_t>(BLOCK_ROWS, rows_.n_rows - begin));
    gather(program, begin, n);
    root = evaluator_.values(columns(), n);
    return n;
  }

  Columns columns() const { return {columns_.data(), BLOCK_ROWS}; }
  Evaluator& evaluator() { return evaluator_; }

 private:
  // Collects the columns that the expression uses, padded with the last row.
  void gather(const Program& program, std::size_t begin, int n) {
    columns_.resize(rows_.n_columns * BLOCK_ROWS);
    for (const Node& node : program.nodes) {
      if (node.kind != Kind::Variable) continue;
      double* column = columns_.data() + static_cast<std::size_t>(node.index) * BLOCK_ROWS;
      const double* from = rows_.first + begin * rows_.n_columns + static_cast<std::size_t>(node.index);
      for (int row = 0; row < static_cast<int>(padded(static_cast<std::size_t>(n))); ++row)
        column[row] = from[static_cast<std::size_t>(std::min(row, n - 1)) * rows_.n_columns];
    }
  }

  Rows rows_;
  int n_kept_;
  const Program* program_ = nullptr;
  Evaluator evaluator_;
  Buffer columns_;
};

// Calls use(worker, job, block) for every block of every expression and records which are finite.
template <typename Use>
void for_each_block(const Vocabulary& vocabulary, Rows rows, const std::vector<Job>& jobs, bool keeps_values,
                    std::uint8_t* is_finite, int n_threads, Use use) {
  const std::vector<Program> programs = compile_all(vocabulary, jobs);
  const std::size_t blocks = n_blocks(rows);
  std::vector<std::uint8_t> block_is_finite(jobs.size() * blocks);
  parallel_with(jobs.size() * blocks, n_threads, 8, [&] {
    return [&, worker = BlockWorker(rows, keeps_values)](std::size_t k) mutable {
      const std::size_t job = k / blocks, block = k % blocks;
      const double* root = nullptr;
      const int n = worker.run(programs[job], jobs[job], block, root);
      block_is_finite[k] = use(worker, job, block * BLOCK_ROWS, n, root);
    };
  });
  for (std::size_t job = 0; job < jobs.size(); ++job) {
    const auto first = block_is_finite.begin() + static_cast<std::ptrdiff_t>(job * blocks);
    is_finite[job] =
        std::all_of(first, first + static_cast<std::ptrdiff_t>(blocks), [](auto ok) { return ok; });
  }
}

}  // namespace

void values(const Vocabulary& vocabulary, Rows rows, const std::vector<Job>& jobs, double* out,
            std::uint8_t* is_finite, int n_threads) {
  for_each_block(vocabulary, rows, jobs, false, is_finite, n_threads,
                 [&](BlockWorker& worker, std::size_t job, std::size_t begin, int n, const double* root) {
                   std::copy_n(root, n, out + job * rows.n_rows + begin);
                   return worker.evaluator().is_finite();
                 });
}

void gradients(const Vocabulary& vocabulary, Rows rows, const std::vector<Job>& jobs, int width, double* out,
               std::uint8_t* is_finite, int n_threads) {
  for_each_block(vocabulary, rows, jobs, true, is_finite, n_threads,
                 [&](BlockWorker& worker, std::size_t job, std::size_t begin, int n, const double*) {
                   Evaluator& evaluator = worker.evaluator();
                   bool all_finite = evaluator.is_finite();
                   evaluator.differentiate(worker.columns(), n);
                   for (std::size_t c = 0; c < jobs[job].constants.size(); ++c) {
                     const double* slope = evaluator.slope(static_cast<int>(c));
                     all_finite = all_finite && kernels().all_finite(slope, n);
                     double* to = out + (job * rows.n_rows + begin) * static_cast<std::size_t>(width) + c;
                     for (int row = 0; row < n; ++row)
                       to[static_cast<std::ptrdiff_t>(row) * width] = slope[row];
                   }
                   return all_finite;
                 });
}

}  // namespace ddsr
