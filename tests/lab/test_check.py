#!/usr/bin/python3
# SPDX-License-Identifier: GPL-2.0
"""The checker on made-up runs: one that is right, and the same with one thing wrong."""
import copy
import os
import sys
import types

sys.dont_write_bytecode = True
sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
import check  # noqa: E402


def latency(count):
    return {"count": count, "min": 10, "max": 90, "mean": 50, "p50": 50, "p90": 80,
            "p99": 90, "p99_9": 90, "buckets": [[0, 64, count - 1], [64, 128, 1]]}


def state(index, name, hit, too_deep, too_shallow, rejected=0):
    entered = hit + too_deep + too_shallow
    return {"index": index, "name": name, "requested": entered + rejected,
            "entered": entered, "time": entered * 5000, "hit": hit,
            "too_deep": too_deep, "too_shallow": too_shallow, "rejected": rejected,
            "ends": {"count": entered, "timer": entered - 2, "tick": 1, "intercepted": 1},
            "residency": latency(entered),
            "kernel": {"usage": entered, "time_us": entered * 5, "above": too_deep,
                       "below": too_shallow, "rejected": rejected},
            "residual": {"usage": 0, "above": 0, "below": 0, "rejected": 0}}


def slice_of(states, wakeups):
    """An interval: half of the periods, and the wakeups."""
    counted = [{key: s[key] // 2 + (s[key] % 2 if wakeups else 0)
                for key in ("entered", "too_deep", "too_shallow", "time")} for s in states]
    return {"start": 0, "wakeups": wakeups, "cpu_time": 200000,
            "states": [{**s, "residency": s["time"]} for s in counted]}


def good_doc():
    states = [state(0, "WFI", 10, 0, 5), state(1, "ret0", 20, 3, 2, rejected=1)]
    classes = [{"class": "running", "count": 4, "latency": latency(4)},
               {"class": "idle", "state": 1, "name": "ret0", "verdict": "too deep", "count": 3,
                "latency": latency(3)}]
    return {"wakeups": {"count": 7, "latency": latency(7), "classes": classes,
                        "sources": [{"source": "timer", "count": 7}]},
            "idle": {"states": states,
                     "cpus": [{"cpu": 0, "states": copy.deepcopy(states)}]},
            "intervals": [slice_of(states, 0), slice_of(states, 7)],
            "rule": {"checked": 40, "wrong": 0},
            "loss": {"ring": 0, "orphans": 0}}


def run_of(doc, states=2, **more):
    fields = {"name": "basic", "status": "0", "text": "cpuidle driver psci",
              "errors": "", "counters": {}, "states": states, "doc": doc}
    return types.SimpleNamespace(**{**fields, **more})


def recorded(verdict, wakeups=1, periods=1):
    """A wakeup at 300 out of a period that began at 100, by the raw records."""
    period = "period 100 0 1 1 hit 1 timer 250 260 160 0 0 2".split()
    wakeup = f"wakeup 300 0 7 task idle 1 {verdict} timer 0 0 40 0 0".split()
    return types.SimpleNamespace(
        records=[period, wakeup],
        doc={"wakeups": {"count": wakeups}, "idle": {"periods": periods}})


def records_test():
    cases = {"records that fit": (recorded("hit"), None),
             "a verdict that its period did not have": (recorded("unknown"), "period before"),
             "a wakeup without a record": (recorded("hit", wakeups=2), "of 2 wakeups"),
             "a period without a record": (recorded("hit", periods=2), "of 2 periods")}
    failed = 0
    for name, (run, expected) in cases.items():
        found = list(check.check_records(run))
        good = not found if expected is None else any(expected in f for f in found)
        print(("ok" if good else "not ok") + f" - {name}: {len(found)} complaints")
        failed += not good
    return failed == 0


def damaged(*path, value):
    doc = good_doc()
    node = doc
    for key in path[:-1]:
        node = node[key]
    node[path[-1]] = value
    return run_of(doc)


def both(index, key, value):
    """The same in the CPU and in the sum, so that only the kernel disagrees."""
    doc = good_doc()
    for states in (doc["idle"]["states"], doc["idle"]["cpus"][0]["states"]):
        states[index][key] = value
    return run_of(doc)


CPU = "idle", "cpus", 0, "states"
BAD = {
    "a class too many": (damaged("wakeups", "classes", 0, "count", value=5), "classes"),
    "a source too few": (damaged("wakeups", "sources", 0, "count", value=6), "sources"),
    "a bucket lost": (damaged("wakeups", "latency", "buckets", value=[[0, 64, 6]]),
                      "buckets"),
    "percentiles out of order": (damaged("wakeups", "latency", "p90", value=40), "order"),
    "an entry too few": (both(0, "requested", 14), "requested"),
    "a verdict lost": (both(1, "hit", 19), "verdicts on"),
    "a CPU that does not sum": (damaged(*CPU, 1, "rejected", value=0), "CPUs have"),
    "a residual that is printed": (damaged("idle", "states", 0, "residual", "usage",
                                           value=1), "residual usage"),
    "a residual that is not": (damaged(*CPU, 0, "kernel", "usage", value=16), "usage 16"),
    "a period that the kernel did not count": (both(1, "uncounted", 1), "counted 24"),
    "above that differs": (damaged(*CPU, 1, "kernel", "above", value=2), "above 2"),
    "rejected that differs": (damaged(*CPU, 1, "kernel", "rejected", value=0),
                              "rejected 0"),
    "time off by 20 %": (both(0, "time", 95000), "time 95000"),
    "an end too many": (damaged("idle", "states", 0, "ends", "tick", value=2), "ends add"),
    "a residency lost": (damaged("idle", "states", 0, "residency", value=latency(14)),
                         "residency: 14 values"),
    "a wrong rule": (damaged("rule", "wrong", value=1), "rule was wrong"),
    "a rule unchecked": (damaged("rule", "checked", value=0), "not checked"),
    "no kernel counters": (both(0, "kernel", None), "no counters"),
    "no residual": (both(0, "residual", None), "missing"),
    "more wakeups than periods": (damaged("wakeups", "classes", 1, "verdict",
                                          value="unknown"), "wakeups ended"),
    "a lost record": (damaged("loss", "ring", value=1), "loss: ring"),
    "a lost record with status 0": (damaged("loss", "ring", value=1), "exit status 0"),
    "an orphan kept quiet": (damaged("loss", "orphans", value=1), "not in the text"),
    "many orphans": (damaged("loss", "orphans", value=3), "loss: orphans 3"),
    "an interval's wakeup lost": (damaged("intervals", 1, "wakeups", value=6), "6 wakeups"),
    "a period in two intervals": (damaged("intervals", 0, "states", 1, "entered", value=13),
                                  "intervals, ret0"),
    "an interval of 105 % idle": (damaged("intervals", 0, "cpu_time", value=90000), "idle of"),
    "a missing key": (damaged("idle", value={}), "schema"),
    "no wakeups": (damaged("wakeups", "count", value=0), "no wakeup"),
    "records lost": (run_of(good_doc(), status="3"), "status 3: no"),
    "a failed run": (run_of(None, status="1", errors="a\nno BTF"), "no BTF"),
    "no JSON": (run_of(None), "no JSON"),
    "a wide line": (run_of(good_doc(), text="driver" + 75 * "x"), "columns"),
    "a letter that is not ASCII": (run_of(good_doc(), text="driver \u00b5s"), "ASCII"),
    "a verdict without a driver": (run_of(good_doc(), states=0), "without a cpuidle"),
    "a governor change kept quiet": (run_of(good_doc(), name="governor-switch"),
                                     "governor was changed"),
    "a window wider than what is around it": (
        run_of(good_doc(), counters={(0, 0): {"usage": 14, "time_us": 0, "above": 0,
                                              "below": 9, "rejected": 0}}),
        "around it"),
}


GOVERNORS = {"cpuidle governor": {"menu": ["a"], "teo": ["b"]}}
AB = {
    "two governors that differ": ("ab-governor", GOVERNORS, 0.002, "worse", None),
    "two governors that do not": ("ab-governor", GOVERNORS, 0.3, "same", "no difference"),
    "one governor, called two": ("ab-governor", {}, 0.002, "worse", "do not tell"),
    "a setting and itself": ("ab-none", {}, 0.3, "same", None),
    "a setting that differs from itself": ("ab-none", {}, 0.002, "better", "is found"),
    "another governor, called none": ("ab-none", GOVERNORS, 0.3, "same", "cpuidle governor"),
}


def ab_test():
    failed = 0
    for name, (kind, differences, p, verdict, expected) in AB.items():
        found = list(check.ab_complaints(kind, {"differences": differences},
                                         {"p": p, "verdict": verdict}))
        good = not found if expected is None else any(expected in f for f in found)
        print(("ok" if good else "not ok") + f" - {name}: {len(found)} complaints")
        failed += not good
    return failed == 0


INFO = """Kernel 7.3
  cpu_idle           yes      idle periods
  task storage       missing  a hash by pid instead
"""


def info_test():
    expected = {"cpu_idle": (True, "idle periods"),
                "task_storage": (False, "a hash by pid instead")}
    good = check.features(INFO) == expected
    print(("ok" if good else "not ok") + " - features are read from the output of info")
    return good


def main():
    failed = (not info_test()) + (not records_test()) + (not ab_test())
    found = check.complaints(run_of(good_doc()))
    print("ok - a good run" if not found else f"not ok - a good run: {found}")
    failed += bool(found)
    for name, (run, expected) in BAD.items():
        found = check.complaints(run)
        if any(expected in complaint for complaint in found):
            print(f"ok - {name} is found")
        else:
            print(f"not ok - {name} is found: {found}")
            failed += 1
    return failed > 0


if __name__ == "__main__":
    sys.exit(main())
