// Maximum bipartite matching by augmenting paths, for graphs of a few dozen nodes.
#pragma once

#include <cstddef>
#include <utility>
#include <vector>

namespace ddsr {

// Seats guests one by one at tables with `seats[table]` seats. A guest who finds no free seat makes others
// move if that helps, so all seats that can be used are used.
class Matching {
 public:
  // may_sit[guest] lists the tables that suit a guest.
  Matching(std::vector<std::vector<int>> may_sit, std::vector<int> seats)
      : may_sit_(std::move(may_sit)), seats_(std::move(seats)), seated_(seats_.size()) {}

  // The maximum number of guests that can be seated at once.
  int size() {
    int n = 0;
    for (int guest = 0; guest < static_cast<int>(may_sit_.size()); ++guest) {
      was_asked_.assign(seats_.size(), false);
      n += seat(guest);
    }
    return n;
  }

 private:
  bool seat(int guest) {
    for (int table : may_sit_[static_cast<std::size_t>(guest)]) {
      const auto at = static_cast<std::size_t>(table);
      if (was_asked_[at]) continue;
      was_asked_[at] = true;
      if (static_cast<int>(seated_[at].size()) < seats_[at]) {
        seated_[at].push_back(guest);
        return true;
      }
      for (std::size_t k = 0; k < seated_[at].size(); ++k)
        if (seat(seated_[at][k])) {
          seated_[at][k] = guest;
          return true;
        }
    }
    return false;
  }

  std::vector<std::vector<int>> may_sit_;
  std::vector<int> seats_;
  std::vector<std::vector<int>> seated_;
  std::vector<bool> was_asked_;
};

}  // namespace ddsr
