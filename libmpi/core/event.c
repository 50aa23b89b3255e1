// SPDX-License-Identifier: BSD-3-Clause
/* event.c - whether tools listen to events, and the function that keeps them. */
#include "libmpi/core/event.h"

_Atomic uint32_t haft_events_wanted;
void (*haft_event_hook)(enum haft_event e, obj_h object, const int64_t facts[HAFT_EVENT_FACTS]);
