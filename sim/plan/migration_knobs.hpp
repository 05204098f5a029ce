#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "sim/parallel/run.hpp"

namespace stepcast {

// What a knob does to the numbers of the training (SEMANTICS 10).
enum class NumericsClass {
  bit_preserving,  // by construction, with deterministic kernels
  rounding,        // the same sums in another order or format
  statistical      // other samples, masks or weights: compare curves, not values
};
[[nodiscard]] std::string_view name_of(NumericsClass value);  // "bit-preserving", ...

// How each framework calls a knob on its command line or in its configuration; nullopt: it has
// none.
struct KnobFlags {
  std::optional<std::string> megatron, torchtitan, deepspeed;
};
[[nodiscard]] const std::optional<std::string>& flag_of(const KnobFlags& flags,
                                                        Framework framework);

// One input that differs. Values are JSON text: 8, "1f1b", true.
struct KnobChange {
  std::string knob;  // path in the run file, or a derived quantity: micro_batches
  std::string from, to;
  KnobFlags flags;
  NumericsClass numerics = NumericsClass::bit_preserving;
  std::string reason;  // for the class
};

// Every knob of SEMANTICS 10 that differs, in its order; what follows from others (micro_batches,
// padded_vocabulary, gradient_bucket) included.
[[nodiscard]] std::vector<KnobChange> knob_changes(const Run& from, const Run& to);

// Whether a list has this knob.
[[nodiscard]] bool has_knob(const std::vector<KnobChange>& knobs, std::string_view knob);

}  // namespace stepcast
