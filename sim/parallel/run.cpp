#include "sim/parallel/run.hpp"

#include "models/parameters.hpp"

namespace stepcast {

std::int64_t Run::padded_vocabulary() const {
  if (framework == Framework::torchtitan) return model.vocabulary;
  return stepcast::padded_vocabulary(model.vocabulary, parallel.tensor);
}

}  // namespace stepcast
