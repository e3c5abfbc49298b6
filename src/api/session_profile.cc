#include "api/layers.h"
#include "api/session_impl.h"
#include "legato/session.h"

namespace legato {
inline namespace v1 {

void Session::enable_profile(bool enabled) { impl_->core->context->enable_profile(enabled); }

void Session::reset_profile() { impl_->core->context->reset_profile(); }

std::vector<LayerTime> Session::profile() const {
  std::vector<LayerTime> times;
  for (const runtime::KernelTime& time : impl_->core->context->profile()) {
    times.push_back({time.seconds, time.barrier_seconds, time.launches});
  }
  return times;
}

std::vector<EngineLayer> Session::layer_costs(int64_t tokens, int64_t logit_rows,
                                              int64_t context) const {
  const runtime::Context& runner = *impl_->core->context;
  std::vector<EngineLayer> layers = api::describe_steps(runner.engine().spec());
  const std::vector<kernels::Cost> costs = runner.costs({tokens, logit_rows, context});
  for (size_t i = 0; i < layers.size() && i < costs.size(); ++i) {
    layers[i].bytes = costs[i].bytes;
    layers[i].operations = costs[i].operations;
  }
  return layers;
}

}  // namespace v1
}  // namespace legato
