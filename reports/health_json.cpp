#include "reports/health_json.hpp"

#include <nlohmann/json.hpp>

#include "reports/json_numbers.hpp"
#include "reports/version.hpp"

namespace stepcast {

using nlohmann::json;

json to_json(const Health& health, const std::string& cluster, const Profile& profile) {
  json out{{"format", "stepcast.health"},
           {"version", 1},
           {"op", name_of(health.op)},
           {"ranks", health.ranks},
           {"rows", json::array()},
           {"verdict", health.sick() ? "sick" : "healthy"},
           {"warnings", health.warnings},
           {"provenance",
            {{"version", product_version()},
             {"cluster", cluster},
             {"profile", profile.name},
             {"sources", profile.sources}}}};
  for (const HealthRow& row : health.rows)
    out["rows"].push_back(
        {{"line", row.line},
         {"bytes", bytes_json(row.bytes)},
         {"measured_busbw", row.measured.value()},
         {"expected",
          {{"p10", row.p10.value()}, {"p50", row.p50.value()}, {"p90", row.p90.value()}}},
         {"sick", row.sick},
         {"cause", row.sick ? json(row.cause) : json(nullptr)}});
  return out;
}

}  // namespace stepcast
