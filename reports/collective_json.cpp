#include "reports/collective_json.hpp"

#include <nlohmann/json.hpp>

#include "reports/json_numbers.hpp"
#include "reports/version.hpp"

namespace stepcast {

using nlohmann::json;

json to_json(const std::vector<CollectiveRow>& rows, const std::string& cluster,
             const Profile& profile) {
  json out{{"format", "stepcast.collective"},
           {"version", 1},
           {"rows", json::array()},
           {"provenance",
            {{"version", product_version()},
             {"cluster", cluster},
             {"profile", profile.name},
             {"sources", profile.sources}}}};
  for (const CollectiveRow& row : rows)
    out["rows"].push_back({{"op", name_of(row.op)},
                           {"ranks", row.ranks},
                           {"nodes", row.nodes},
                           {"bytes", bytes_json(row.bytes)},
                           {"time_s", row.estimate.time().value()},
                           {"algbw_bytes_per_s", row.algbw().value()},
                           {"busbw_bytes_per_s", row.busbw().value()},
                           {"algorithm", name_of(row.estimate.algorithm)},
                           {"protocol", name_of(row.estimate.protocol)},
                           {"basis", name_of(row.estimate.basis)}});
  return out;
}

}  // namespace stepcast
