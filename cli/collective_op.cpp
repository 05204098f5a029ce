#include "cli/collective_op.hpp"

#include <vector>

#include "common/errors.hpp"

namespace stepcast::cli {

CollectiveOp parse_op(const std::string& text) {
  constexpr CollectiveOp all_ops[] = {CollectiveOp::all_reduce,     CollectiveOp::all_gather,
                                      CollectiveOp::reduce_scatter, CollectiveOp::all_to_all,
                                      CollectiveOp::broadcast,      CollectiveOp::send_recv};
  std::vector<std::string> names;
  std::string listed;
  for (const CollectiveOp op : all_ops) {
    if (text == name_of(op)) return op;
    names.emplace_back(name_of(op));
    listed += (listed.empty() ? "" : ", ") + names.back();
  }
  const std::string near = nearest(text, names);
  throw InputError(Problem{"", "--op",
                           "must be one of " + listed + ", found \"" + text + "\"" +
                               (near.empty() ? "" : " (did you mean \"" + near + "\"?)")});
}

}  // namespace stepcast::cli
