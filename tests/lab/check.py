#!/usr/bin/python3
# SPDX-License-Identifier: GPL-2.0
"""check.py ID STATES MISSING DIR

Judges what the scenarios of one guest left in DIR: a line "ok - ID NAME: ..." or
"not ok - ID NAME: ..." for each run of the tool. STATES is how many idle states the
guest has, MISSING (a,b,...) what `idletrace info` must say that its kernel lacks. Each
check takes a run and yields what is wrong with it.
"""
import json
import os
import re
import sys

# A count in the JSON, and the kernel's counter that it must equal.
KERNEL_OF = {
    "counted": "usage",
    "too_deep": "above",
    "too_shallow": "below",
    "rejected": "rejected",
}
VERDICTS = ("hit", "too_deep", "too_shallow", "unknown")
# What the kernel itself did not tell (a task that dies between its waking and its run, a
# switch without its event) and the words that say so in the text. Few, and no failure.
EXCUSED = {
    "orphans": "without a run",
    "unmatched": "whose waking was not seen",
    "unseen": "did not trace",
    "unseen_runs": "had been woken",
}


class Run:
    """One run of the tool in a guest: its JSON, text, status and the sysfs counters."""

    def __init__(self, directory, name, states):
        self.name = name
        self.states = states
        self.status = read(directory, name + ".status").strip()
        self.text = read(directory, name + ".txt")
        self.errors = read(directory, name + ".err").strip()
        self.records = [line.split("\t") for line in read(directory, name + ".tsv").splitlines()
                        if not line.startswith("#")]
        self.counters = outer_counters(read(directory, name + ".counters"))
        source = read(directory, name + ".json")
        self.doc = json.loads(source) if source.strip() else None


def read(directory, name):
    try:
        with open(os.path.join(directory, name), errors="replace") as file:
            return file.read()
    except FileNotFoundError:
        return ""


def outer_counters(text):
    """{(cpu, state): {usage...}}: what sysfs counted from before the run to after it."""
    keys = ("usage", "time_us", "above", "below", "rejected")
    seen = {"before": {}, "after": {}}
    for line in text.splitlines():
        when, cpu, state, *values = line.split()
        seen[when][int(cpu), int(state)] = [int(v) for v in values]
    return {
        place: dict(zip(keys, (b - a for a, b in zip(seen["before"][place], after))))
        for place, after in seen["after"].items()
        if place in seen["before"]
    }


def verdict_key(name):
    """A verdict as the classes name it, as the key that counts it."""
    return name.replace(" ", "_")


def number(node, key):
    return node.get(key) or 0


def check_status(run):
    loss = run.doc["loss"] if run.doc else {}
    lossy = any(value for key, value in loss.items() if key not in EXCUSED)
    if run.status != ("3" if lossy else "0"):
        last = run.errors.splitlines()[-1] if run.errors else "no message"
        yield f"exit status {run.status or 'none'}: {last}"


def check_text(run):
    for line in run.text.splitlines():
        if len(line) > 80:
            yield f"line of {len(line)} columns: {line[:30]}..."
        if not line.isascii():
            yield f"not ASCII: {line[:40]!r}"


def check_latency(name, node, count):
    """A latency object against itself and the count that it must have."""
    if node["count"] != count:
        yield f"{name}: {node['count']} values, not {count}"
    buckets = node["buckets"]
    if sum(b[2] for b in buckets) != node["count"]:
        yield f"{name}: buckets do not add up to {node['count']}"
    if any(a[1] > b[0] for a, b in zip(buckets, buckets[1:])):
        yield f"{name}: buckets overlap"
    if node["count"]:
        row = [node[k] for k in ("min", "p50", "p90", "p99", "p99_9", "max")]
        if row != sorted(row):
            yield f"{name}: percentiles are not in order: {row}"


def check_wakeups(run, key):
    wakeups = run.doc.get(key)
    if not wakeups:
        return
    count = wakeups["count"]
    for part in ("classes", "sources"):
        total = sum(node["count"] for node in wakeups[part])
        if total != count:
            yield f"{key}: {part} add up to {total}, not to {count}"
    yield from check_latency(f"{key}.latency", wakeups["latency"], count)
    for node in wakeups["classes"]:
        name = " ".join(node[k] for k in ("class", "name", "verdict") if node.get(k))
        yield from check_latency(f"{key}, {name}", node["latency"], node["count"])


def check_some_wakeups(run):
    if not run.doc["wakeups"]["count"]:
        yield "no wakeup in the window"


def places(run):
    """(name, states) for the machine as a whole and for each CPU."""
    idle = run.doc["idle"]
    yield "all CPUs", idle["states"]
    for cpu in idle["cpus"]:
        yield f"cpu{cpu['cpu']}", cpu["states"]


def check_periods(run):
    """Every period has one state and one verdict, entered or rejected."""
    for name, states in places(run):
        requested = sum(s["requested"] for s in states)
        entered = sum(s["entered"] + number(s, "rejected") for s in states)
        if requested != entered:
            yield f"{name}: {requested} periods requested, {entered} entered or rejected"
        for s in states:
            verdicts = sum(number(s, v) for v in VERDICTS)
            if verdicts != s["entered"]:
                yield (f"{name}, {s['name']}: {verdicts} verdicts on "
                       f"{s['entered']} periods")
    if not sum(s["entered"] for s in run.doc["idle"]["states"]):
        yield "no idle period in the window"


def check_ends(run):
    """Every period was ended by something, and has a length."""
    for s in run.doc["idle"]["states"]:
        ends = s["ends"]
        total = ends["timer"] + ends["tick"] + ends["intercepted"]
        if total != ends["count"]:
            yield f"{s['name']}: ends add up to {total}, not to {ends['count']}"
        yield from check_latency(f"{s['name']}, residency", s["residency"], s["entered"])


def check_rule(run):
    """The rule in C against the kernel's own verdict, period by period."""
    rule = run.doc["rule"]
    if rule["wrong"]:
        yield f"the rule was wrong in {rule['wrong']} of {rule['checked']} periods"
    if not rule["checked"]:
        yield "the rule was not checked against the kernel"


def check_cpus_sum(run):
    idle = run.doc["idle"]
    for state in idle["states"]:
        for key in ("requested", "entered", *VERDICTS, "rejected"):
            total = sum(number(s, key) for cpu in idle["cpus"] for s in cpu["states"]
                        if s["index"] == state["index"])
            if total != number(state, key):
                yield f"{state['name']}: {key} is {number(state, key)}, CPUs have {total}"


def check_kernel(run):
    """Traced equals counted, recomputed here; and the residual that the tool prints."""
    for name, states in places(run):
        for s in states:
            where = f"{name}, {s['name']}"
            kernel = s.get("kernel")
            if not kernel:
                yield f"{where}: no counters of the kernel"
                continue
            traced = {**s, "counted": s["entered"] - number(s, "uncounted")}
            for ours, theirs in KERNEL_OF.items():
                if number(traced, ours) != kernel[theirs]:
                    yield (f"{where}: {ours} {number(traced, ours)}, "
                           f"the kernel has {theirs} {kernel[theirs]}")
            for key, value in (s.get("residual") or {"usage": "missing"}).items():
                if value and key != "time_us":
                    yield f"{where}: residual {key} {value}"
            yield from check_time(where, s, kernel)


def check_time(where, state, kernel):
    """Within 1 % or 1 us for each period, whichever is more."""
    time = state["time"] - number(state, "uncounted_time")
    truth = kernel["time_us"] * 1000
    if abs(time - truth) > max(truth // 100, 1000 * max(state["entered"], 1)):
        yield f"{where}: time {time} ns, the kernel has {truth} ns"


def check_outer(run):
    """The kernel's counters over the window, against a wider window read by a script."""
    for cpu in run.doc["idle"]["cpus"]:
        for s in cpu["states"]:
            outer = run.counters.get((cpu["cpu"], s["index"]))
            for key in ("usage", "above", "below", "rejected"):
                inner = (s.get("kernel") or {}).get(key, 0)
                if outer and inner > outer[key]:
                    yield (f"cpu{cpu['cpu']}, {s['name']}: {key} {inner} in the window, "
                           f"{outer[key]} around it")


def check_classes_within_periods(run):
    """At most one task is the first to run after a period."""
    periods, wakeups = {}, {}
    for s in run.doc["idle"]["states"]:
        for verdict in VERDICTS:
            periods[s["name"], verdict] = number(s, verdict)
    for key in ("wakeups", "wakeups_other"):
        for node in (run.doc.get(key) or {}).get("classes", []):
            if node["class"] == "idle" and node.get("verdict") != "rejected":
                place = node["name"], verdict_key(node["verdict"])
                wakeups[place] = wakeups.get(place, 0) + node["count"]
    for place, count in sorted(wakeups.items()):
        if count > periods.get(place, 0):
            yield (f"{count} wakeups ended {periods.get(place, 0)} periods of "
                   f"{' '.join(place)}")


def check_records(run):
    """Each wakeup from an idle CPU against the raw record of the period before it."""
    if not run.records:
        yield "no raw records"
        return
    lines = {kind: [r for r in run.records if r[0] == kind] for kind in ("wakeup", "period")}
    counted = sum(run.doc[key]["count"] for key in ("wakeups", "wakeups_other")
                  if run.doc.get(key))
    if len(lines["wakeup"]) != counted:
        yield f"{len(lines['wakeup'])} records of {counted} wakeups"
    if len(lines["period"]) != run.doc["idle"]["periods"]:
        yield f"{len(lines['period'])} records of {run.doc['idle']['periods']} periods"
    periods = {}
    for r in sorted(lines["period"], key=lambda r: int(r[1])):
        periods.setdefault(r[2], []).append((int(r[1]), r[4], r[5]))
    for r in lines["wakeup"]:
        if r[5] != "idle":
            continue
        before = [p for p in periods.get(r[2], []) if p[0] <= int(r[1])]
        if not before or before[-1][1:] != (r[6], r[7]):
            yield (f"wakeup at {r[1]} on CPU {r[2]} out of state {r[6]} {r[7]}, but the "
                   f"period before was {before[-1] if before else 'none'}")


def check_intervals(run):
    """Together they are the report, and no state has more time than there was."""
    intervals = run.doc.get("intervals")
    if not intervals:
        return
    total = sum(i["wakeups"] for i in intervals)
    if total != run.doc["wakeups"]["count"]:
        yield f"intervals: {total} wakeups, not {run.doc['wakeups']['count']}"
    for s in run.doc["idle"]["states"]:
        for key in ("entered", "too_deep", "too_shallow", "time"):
            total = sum(number(i["states"][s["index"]], key) for i in intervals)
            if total != number(s, key):
                yield f"intervals, {s['name']}: {key} {total}, not {number(s, key)}"
    for i in intervals:
        spent = sum(s["residency"] for s in i["states"])
        if spent > 1.01 * i["cpu_time"]:
            yield f"interval at {i['start']}: {spent} ns idle of {i['cpu_time']}"


def check_loss(run):
    few = max(2, run.doc["wakeups"]["count"] // 500)
    for key, value in run.doc["loss"].items():
        if value > (few if key in EXCUSED else 0):
            yield f"loss: {key} {value}"
        elif value and EXCUSED[key] not in run.text:
            yield f"loss: {key} {value} is not in the text"


def check_unknown(run):
    """No driver: no verdict may be claimed, and the report says why."""
    for s in run.doc["idle"]["states"]:
        if number(s, "too_deep") or number(s, "too_shallow") or number(s, "hit"):
            yield f"{s['name']}: a verdict without a cpuidle driver"
    if "driver" not in run.text:
        yield "the text does not say that there is no cpuidle driver"


def check_switch_reported(run):
    if not re.search(r"governor.*(chang|switch|menu.*ladder)", run.text):
        yield "the text does not say that the governor was changed"


COMMON = (check_status, check_text, lambda run: check_wakeups(run, "wakeups"),
          lambda run: check_wakeups(run, "wakeups_other"), check_some_wakeups,
          check_periods, check_ends, check_cpus_sum, check_classes_within_periods, check_loss,
          check_intervals)
WITH_STATES = (check_kernel, check_outer, check_rule)
WITHOUT_STATES = (check_unknown,)
SPECIAL = {"governor-switch": (check_switch_reported,)}
SPECIAL.update((f"exact-{governor}", (check_records,)) for governor in ("menu", "ladder", "teo"))


def complaints(run):
    if run.doc is None:
        return list(check_status(run)) or ["no JSON"]
    checks = COMMON + (WITH_STATES if run.states else WITHOUT_STATES)
    found = []
    for check in checks + SPECIAL.get(run.name, ()):
        try:
            found.extend(check(run))
        except (KeyError, TypeError, IndexError) as error:
            found.append(f"the JSON does not have what its schema says: {error!r}")
    return found


def summary(run):
    """What a reader of the log wants to know of a run that passed."""
    states = run.doc["idle"]["states"]
    periods = sum(s["entered"] for s in states)
    text = f"{run.doc['wakeups']['count']} wakeups, {periods} periods"
    if run.states and periods:
        deep, shallow = (100 * sum(number(s, key) for s in states) / periods
                         for key in ("too_deep", "too_shallow"))
        text += f", too deep {deep:.1f} %, too shallow {shallow:.1f} %, residual 0"
    return text


def judge(row, run):
    found = complaints(run)
    if not found:
        print(f"ok - {row} {run.name}: {summary(run)}")
        return True
    print(f"not ok - {row} {run.name}: {found[0]}")
    for complaint in found[1:20]:
        print(f"#   {complaint}")
    return False


def features(text):
    """{feature: (found, what follows)} as `idletrace info` prints them."""
    lines = re.finditer(r"^  (\S.*?) +(yes|missing) +(.*)$", text, re.MULTILINE)
    return {line[1].replace(" ", "_"): (line[2] == "yes", line[3]) for line in lines}


def info_complaints(directory, missing):
    status = read(directory, "info.status").strip()
    if status != "0":
        errors = read(directory, "info.err").strip().splitlines() or ["no message"]
        yield f"exit status {status or 'none'}: {errors[-1]}"
        return
    found = features(read(directory, "info.txt"))
    lacking = {name for name, (has, _) in found.items() if not has}
    if not found:
        yield "no feature in its output"
    for name in sorted(lacking - missing):
        yield f"{name} is missing, and the matrix does not expect that"
    for name in sorted(missing - lacking):
        yield f"{name} is not missing, as the matrix expects"


def judge_info(row, directory, missing):
    found = list(info_complaints(directory, missing))
    if found:
        print(f"not ok - {row} info: {'; '.join(found)}")
    else:
        print(f"ok - {row} info: missing {', '.join(sorted(missing)) or 'nothing'}")
    return not found


def ab_cell(doc, measure):
    """What the tool says of the second setting against the first, and both medians."""
    row = next(row for row in doc["rows"] if row["measure"] == measure)
    return row["cells"][1], [cell["median"] for cell in row["cells"]]


def ab_complaints(name, doc, cell):
    """Two governors are to be told apart, and the same one is not from itself."""
    governors = any("governor" in key for key in doc["differences"])
    if name == "ab-governor":
        if not governors:
            yield "the runs do not tell of two governors"
        if cell["p"] >= 0.05 or cell["verdict"] not in ("better", "worse"):
            yield f"no difference is found: p {cell['p']:.3f}, {cell['verdict']}"
    else:
        if doc["differences"]:
            yield f"the runs differ in {', '.join(doc['differences'])}"
        if cell["verdict"] != "same":
            yield f"a difference is found: p {cell['p']:.3f}, {cell['verdict']}"


def judge_ab(row, directory, name):
    ended = read(directory, name + ".ended").strip()
    governor = read(directory, name + ".governor").strip()
    if ended not in ("0", "3"):
        last = read(directory, name + ".table").strip().splitlines() or ["no message"]
        found, text = [f"exit status {ended or 'none'}: {last[-1]}"], ""
    else:
        doc = json.loads(read(directory, name + ".compare"))
        cell, (first, second) = ab_cell(doc, "idle.too_shallow")
        found = list(ab_complaints(name, doc, cell))
        text = (f"too shallow {first:.1f} % and {second:.1f} %, p {cell['p']:.4f}, "
                f"{cell['verdict']}")
    if governor != "menu":
        found.append(f"the governor is {governor} afterwards")
    print(f"not ok - {row} {name}: {'; '.join(found)}" if found
          else f"ok - {row} {name}: {text}")
    return not found


def judge_kills(row, directory):
    lines = read(directory, "ab-kills").splitlines()
    bad = [line for line in lines if not line.endswith(": done")]
    if bad or len(lines) < 6:
        print(f"not ok - {row} ab-kills: {'; '.join(bad) or 'not all were tried'}")
        return False
    print(f"ok - {row} ab-kills: the governor was put back {len(lines)} times")
    return True


def judge_scenarios(row, directory):
    """A scenario that was ended by its time limit may have left no run behind."""
    lines = read(directory, "console").splitlines()
    good = any(line.startswith("@lab down") for line in lines)
    if not good:
        print(f"not ok - {row}: the guest ended before its scenarios did")
    for line in lines:
        status = re.match(r"@lab status (\S+) (\d+)", line)
        if status and status[2] != "0":
            print(f"not ok - {row} {status[1]}: the script ended with {status[2]}")
            good = False
    return good


def main(row, states, missing, directory):
    names = sorted(name[:-len(".status")] for name in os.listdir(directory)
                   if name.endswith(".status") and name != "info.status")
    results = [judge_scenarios(row, directory), judge_info(row, directory, missing)]
    if not names:
        print(f"not ok - {row}: no run left anything")
        results.append(False)
    for name in names:
        results.append(judge(row, Run(directory, name, states)))
    if os.path.exists(os.path.join(directory, "ab-kills")):
        results += [judge_ab(row, directory, "ab-governor"),
                    judge_ab(row, directory, "ab-none"), judge_kills(row, directory)]
    return 0 if all(results) else 1


if __name__ == "__main__":
    sys.exit(main(sys.argv[1], int(sys.argv[2]),
                  set(sys.argv[3].split(",")) - {"-"}, sys.argv[4]))
