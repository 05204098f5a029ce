#include "reports/version.hpp"

namespace stepcast {

std::string_view product_version() { return STEPCAST_VERSION; }

}  // namespace stepcast
