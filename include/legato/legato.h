#pragma once

/// All of Legato's library: build an engine, load it, run sequences on it, text in and out.

#include "legato/build.h"
#include "legato/engine.h"
#include "legato/memory.h"
#include "legato/sampling.h"
#include "legato/session.h"
#include "legato/status.h"
#include "legato/text.h"
#include "legato/types.h"
#include "legato/version.h"
