#pragma once

#include "legato/legato.h"

namespace legato::api {

/// The bundled nano-llama in fp32, built and loaded once a process.
const Engine& test_engine();

/// The likeliest token of a row; ties to the lowest id.
int32_t best_token(std::span<const float> logits);

/// `count` greedy tokens that follow the prompt. The sequence ends behind the last but one.
std::vector<int32_t> greedy(Session& session, Sequence& sequence, std::span<const int32_t> prompt,
                            size_t count);

}  // namespace legato::api
