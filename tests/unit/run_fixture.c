// SPDX-License-Identifier: GPL-2.0
#include "run_fixture.h"

#include <assert.h>
#include <stdio.h>
#include <string.h>

#define LATENCY(count, ns, low, high)                                                   \
	"{'count':" count ",'min':" ns ",'max':" ns ",'mean':" ns ",'p50':" ns          \
	",'p90':" ns ",'p99':" ns ",'p99_9':" ns ",'buckets':[[" low "," high "," count \
	"]]}"

#define STATE(name, usage, entered, above, below)                                     \
	"{'name':'" name "','entered':" entered ",'time':100000000,'too_deep':" above \
	",'too_shallow':" below ",'kernel':{'usage':" usage ",'above':" above         \
	",'below':" below "}}"

#define CPU(cpu, states) \
	"{'cpu':" cpu ",'start':1000,'end':1000001000,'states':[" states "]}"

static const char text
	[] = "{'schema':'idletrace.run/1','tool':{'version':'0.1','args':'idletrace'},"
	     "'host':{'kernel':'6.12.1','arch':'x86_64','cpus':3,'cpufreq_governor':null,"
	     "'cpuidle':{'driver':'acpi_idle','governor':'menu','states':[]}},"
	     "'window':{'start':1000,'duration':1000000000,'interrupted':false},"
	     "'traced':true,'filter':null,'command':null,'power':null,"
	     "'workload':{'name':'pingpong','options':{'tasks':2,'work':'0'},'given':[],"
	     "'cpus':'1-2','metrics':["
	     "{'name':'usecs_per_loop','value':6.5,'unit':'us','better':'lower'},"
	     "{'name':'loops','value':900,'unit':'','better':null}],"
	     "'latencies':{},'nr_threads':2},"
	     "'wakeups':{'count':100,'latency':" LATENCY("100", "5000", "4992", "5055") ",'exit':" LATENCY("100", "2000", "1984", "2015") ",'queue':" LATENCY(
		     "100", "3000", "2976",
		     "3007") "},"
			     "'idle':{'states':[{'name':'POLL'},{'name':'C1'}],'cpus':"
			     "[" CPU("0", STATE("POLL", "50", "49", "0", "40") "," STATE("C1", "100", "99", "50", "0")) "," CPU(
				     "1",
				     STATE("POLL", "10", "9", "0", "7") "," STATE(
					     "C1", "20", "19", "2",
					     "0")) "," CPU("2",
							   STATE("POLL", "10", "9", "0",
								 "7") "," STATE("C1",
										"40",
										"39", "4",
										"0")) "]}"
										      ","
										      "'c"
										      "os"
										      "t'"
										      ":{"
										      "'t"
										      "oo"
										      "_d"
										      "ee"
										      "p'"
										      ":{"
										      "'t"
										      "im"
										      "e'"
										      ":-"
										      "40"
										      "00"
										      "},"
										      "'t"
										      "oo"
										      "_s"
										      "ha"
										      "ll"
										      "ow"
										      "':"
										      "{'"
										      "ti"
										      "me"
										      "':"
										      "70"
										      "00"
										      "}}"
										      ","
										      "'l"
										      "os"
										      "s'"
										      ":{"
										      "'r"
										      "in"
										      "g'"
										      ":0"
										      ",'"
										      "or"
										      "ph"
										      "an"
										      "s'"
										      ":2"
										      ",'"
										      "ma"
										      "p_"
										      "fu"
										      "ll"
										      "':"
										      "0,"
										      "'r"
										      "ec"
										      "ur"
										      "si"
										      "on"
										      "':"
										      "0,"
										      "'w"
										      "ra"
										      "pp"
										      "ed"
										      "':"
										      "0}"
										      ","
										      "'o"
										      "bs"
										      "er"
										      "ve"
										      "r'"
										      ":{"
										      "'b"
										      "pf"
										      "':"
										      "30"
										      "0."
										      "5,"
										      "'c"
										      "pu"
										      "':"
										      "20"
										      "00"
										      "00"
										      "00"
										      ",'"
										      "wa"
										      "ke"
										      "up"
										      "s'"
										      ":4"
										      "}"
										      "}";

json_t *run_fixture(void)
{
	char json[sizeof(text)];
	json_error_t error;
	json_t *run;

	memcpy(json, text, sizeof(text));
	for (char *c = json; *c; c++)
		if (*c == '\'')
			*c = '"';
	run = json_loads(json, 0, &error);
	if (!run)
		fprintf(stderr, "%s at %d\n", error.text, error.position);
	assert(run);
	return run;
}

void run_fixture_set(json_t *run, const char *path, json_t *value)
{
	char copy[128], *dot, *at = copy;

	snprintf(copy, sizeof(copy), "%s", path);
	while ((dot = strchr(at, '.'))) {
		*dot = '\0';
		run = json_object_get(run, at);
		at = dot + 1;
	}
	assert(json_object_get(run, at));
	json_object_set_new(run, at, value);
}

void run_fixture_metric(json_t *run, size_t i, double value)
{
	json_t *metrics = json_object_get(json_object_get(run, "workload"), "metrics");

	json_object_set_new(json_array_get(metrics, i), "value", json_real(value));
}
