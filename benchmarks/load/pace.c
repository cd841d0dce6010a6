#include "pace.h"

#include "settings.h"

void in_turn(long members, long requests, void (*ask)(long member), void (*take)(long member)) {
    double begun = seconds_now(), gap = (double)settings.wait / 1000.0 / (double)members;
    for (long i = 0; i < requests + members; i++) {
        if (i < requests) sleep_until(begun + (double)i * gap);
        if (i >= members) take(i % members);
        if (i < requests) ask(i % members);
    }
}
