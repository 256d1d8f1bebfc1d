// SPDX-License-Identifier: GPL-2.0
/* What a journal holds, who may restore from it, and what is no journal. */
#include <errno.h>
#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>
#include <cmocka.h>

#include "journal.h"
#include "tree.h"

static struct knobs knobs;
static char dir[128], err[KNOB_ERROR];

static int setup(void **state)
{
	if (tree_setup(state))
		return -1;
	tree_put("7\n", "/number");
	tree_put("a b\n", "/words");
	tree_put("A NO_B C\n", "/sys/kernel/debug/sched/features");
	knobs_init(&knobs, tree_root);
	snprintf(dir, sizeof(dir), "%s/run", tree_root);
	return 0;
}

static int teardown(void **state)
{
	knobs_free(&knobs);
	return tree_teardown(state);
}

static struct knob_use *add(const char *spec)
{
	struct knob_use *use = knobs_add(&knobs, spec, NULL, err, sizeof(err));

	if (!use)
		fail_msg("%s", err);
	return use;
}

/* In a process of its own, which is killed with the second values in place. */
static pid_t changed_and_killed(void)
{
	pid_t pid = fork();
	int status;

	assert_true(pid >= 0);
	if (!pid) {
		struct journal j;

		if (journal_begin(&j, dir, &knobs))
			_exit(1);
		for (unsigned int i = 0; i < knobs.nr; i++)
			if (knob_set(&knobs.uses[i], knobs.uses[i].values.words[1]))
				_exit(2);
		raise(SIGKILL);
	}
	assert_int_equal(waitpid(pid, &status, 0), pid);
	assert_true(WIFSIGNALED(status));
	return pid;
}

/* What recovery says; free it. */
static char *recover(void)
{
	char *text = NULL;
	size_t size;
	FILE *f = open_memstream(&text, &size);

	journal_recover(dir, f);
	fclose(f);
	return text;
}

static void recover_silently(void)
{
	char *text = recover();

	assert_string_equal(text, "");
	free(text);
}

static void path_of(char *buf, size_t size, pid_t pid)
{
	snprintf(buf, size, "%s/ab.%d", dir, (int)pid);
}

static void test_restores_what_was_left(void **state)
{
	char want[256], path[192], *text;
	pid_t pid;

	(void)state;
	add("file:/words=a,b");
	add("file:/number=8,9");
	pid = changed_and_killed();
	tree_expect("9", "/number");
	text = recover();
	tree_expect("7\n", "/number");
	tree_expect("a b\n", "/words");
	snprintf(want, sizeof(want),
		 "idletrace: put back after a killed ab (pid %d): %s/number to 7, and 1 "
		 "more\n",
		 (int)pid, tree_root);
	assert_string_equal(text, want);
	free(text);
	path_of(path, sizeof(path), pid);
	assert_int_equal(access(path, F_OK), -1);
	recover_silently();
}

static void test_features(void **state)
{
	char *text;

	(void)state;
	add("sched-feature=A,NO_A");
	changed_and_killed();
	tree_expect("NO_A", "/sys/kernel/debug/sched/features");
	text = recover();
	tree_expect("A", "/sys/kernel/debug/sched/features");
	assert_non_null(strstr(text, "features to A\n"));
	free(text);
}

static void test_nothing_changed_is_silent(void **state)
{
	(void)state;
	add("file:/number=8,7");
	tree_put("7\n", "/number");
	changed_and_killed();
	tree_put("7\n", "/number");
	recover_silently();
}

static void test_only_for_its_user(void **state)
{
	struct journal j;
	struct stat st;
	char path[192];

	(void)state;
	add("file:/number=8,9");
	assert_int_equal(journal_begin(&j, dir, &knobs), 0);
	path_of(path, sizeof(path), getpid());
	assert_int_equal(stat(path, &st), 0);
	assert_int_equal(st.st_mode & 07777, 0600);
	assert_int_equal(stat(dir, &st), 0);
	assert_int_equal(st.st_mode & 07777, 0700);
	journal_end(&j);
	assert_int_equal(access(path, F_OK), -1);
}

static void test_of_the_living_is_left_alone(void **state)
{
	struct journal j;

	(void)state;
	add("file:/number=8,9");
	assert_int_equal(journal_begin(&j, dir, &knobs), 0);
	assert_int_equal(knob_set(&knobs.uses[0], "9"), 0);
	recover_silently();
	tree_expect("9", "/number");
	journal_end(&j);
	recover_silently();
	tree_expect("9", "/number");
}

/* The guardian's side: it has a copy of the journal, and no lock. */
static void test_claimed_once(void **state)
{
	struct journal of_guardian = {.dir = dir, .fd = 3};
	pid_t pid;

	(void)state;
	add("file:/number=8,9");
	pid = changed_and_killed();
	snprintf(of_guardian.name, sizeof(of_guardian.name), "ab.%d", (int)pid);
	assert_true(journal_claim(&of_guardian));
	recover_silently();
	tree_expect("9", "/number");
	journal_end(&of_guardian);
	snprintf(of_guardian.name, sizeof(of_guardian.name), "ab.%d", (int)pid);
	assert_false(journal_claim(&of_guardian));
}

static void test_none_is_needed(void **state)
{
	struct journal j;

	(void)state;
	assert_int_equal(journal_begin(&j, dir, &knobs), 0);
	assert_int_equal(access(dir, F_OK), -1);
	assert_true(journal_claim(&j));
	journal_end(&j);
	recover_silently();
}

static void test_no_directory_of_others(void **state)
{
	struct journal j;
	char target[128];

	(void)state;
	add("file:/number=8,9");
	snprintf(target, sizeof(target), "%s/elsewhere", tree_root);
	assert_int_equal(mkdir(target, 0700), 0);
	assert_int_equal(symlink(target, dir), 0);
	assert_true(journal_begin(&j, dir, &knobs) < 0);
	assert_int_equal(unlink(dir), 0);
	assert_int_equal(mkdir(dir, 0700), 0);
	assert_int_equal(chmod(dir, 0777), 0);
	assert_int_equal(journal_begin(&j, dir, &knobs), -EPERM);
	journal_end(&j);
}

/* Of another boot, broken, or a symbolic link: nothing is written anywhere. */
static void test_what_is_no_journal(void **state)
{
	static const char doc[] =
		"{\"boot\": \"another\", \"root\": \"\", \"files\": "
		"[{\"path\": \"%s/number\", \"old\": \"1\", \"form\": 0, \"cpu\": -1}]}";
	char text[512];

	(void)state;
	assert_int_equal(mkdir(dir, 0700), 0);
	snprintf(text, sizeof(text), doc, tree_root);
	tree_put(text, "/run/ab.1");
	tree_put("{\"boot\":", "/run/ab.2");
	tree_put("", "/run/ab.3");
	tree_put("[]", "/run/ab.4");
	recover_silently();
	tree_expect("7\n", "/number");
}

#define TEST(f) cmocka_unit_test_setup_teardown(f, setup, teardown)

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(test_restores_what_was_left),
		TEST(test_features),
		TEST(test_nothing_changed_is_silent),
		TEST(test_only_for_its_user),
		TEST(test_of_the_living_is_left_alone),
		TEST(test_claimed_once),
		TEST(test_none_is_needed),
		TEST(test_no_directory_of_others),
		TEST(test_what_is_no_journal),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
