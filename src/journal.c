// SPDX-License-Identifier: GPL-2.0
#include "journal.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <jansson.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#define PREFIX "ab."

/* No one but this user can have put anything there. -1 with errno. */
static int open_dir(const char *path)
{
	int fd = open(path, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
	struct stat st;

	if (fd < 0)
		return -1;
	if (!fstat(fd, &st) && st.st_uid == geteuid() &&
	    !(st.st_mode & (S_IWGRP | S_IWOTH)))
		return fd;
	close(fd);
	errno = EPERM;
	return -1;
}

/* /run may outlive a boot in a container; what it says then is about another one. */
static void read_boot(char *buf, size_t size)
{
	if (saved_read_file("/proc/sys/kernel/random/boot_id", buf, size) < 0)
		buf[0] = '\0';
	buf[strcspn(buf, "\n")] = '\0';
}

/* ---- writing ---- */

static json_t *file_json(const struct saved *file)
{
	return json_pack("{s:s, s:s*, s:s, s:i, s:i}", "path", file->path, "feature",
			 file->feature, "old", file->old, "form", (int)file->form, "cpu",
			 file->cpu);
}

/* In the order of knobs_restore(). NULL: no memory, or text that is not UTF-8. */
static json_t *document(const struct knobs *knobs)
{
	json_t *files = json_array();
	char boot[64];
	int err = 0;

	for (unsigned int i = knobs->nr; i--;)
		for (unsigned int k = 0; k < knobs->uses[i].nr_files; k++)
			err |= json_array_append_new(files,
						     file_json(&knobs->uses[i].files[k]));
	read_boot(boot, sizeof(boot));
	if (!err)
		return json_pack("{s:s, s:s, s:o}", "boot", boot, "root", knobs->root,
				 "files", files);
	json_decref(files);
	return NULL;
}

static bool anything_to_restore(const struct knobs *knobs)
{
	for (unsigned int i = 0; i < knobs->nr; i++)
		if (knobs->uses[i].nr_files)
			return true;
	return false;
}

/* It has no name before it is whole and locked, so that nobody ever finds another. */
static int write_named(struct journal *j, int dir, json_t *doc)
{
	char self[32];

	j->fd = openat(dir, ".", O_TMPFILE | O_RDWR | O_CLOEXEC, 0600);
	if (j->fd < 0)
		return -errno;
	snprintf(self, sizeof(self), "/proc/self/fd/%d", j->fd);
	snprintf(j->name, sizeof(j->name), PREFIX "%d", (int)getpid());
	if (flock(j->fd, LOCK_EX) || json_dumpfd(doc, j->fd, 0) ||
	    linkat(AT_FDCWD, self, dir, j->name, AT_SYMLINK_FOLLOW))
		return errno ? -errno : -EIO;
	return 0;
}

int journal_begin(struct journal *j, const char *dir, const struct knobs *knobs)
{
	json_t *doc;
	int fd, err;

	*j = (struct journal){.dir = dir, .fd = -1};
	if (!anything_to_restore(knobs))
		return 0;
	if (mkdir(dir, 0700) && errno != EEXIST)
		return -errno;
	fd = open_dir(dir);
	if (fd < 0)
		return -errno;
	doc = document(knobs);
	errno = 0;
	err = doc ? write_named(j, fd, doc) : -EILSEQ;
	json_decref(doc);
	close(fd);
	if (!err)
		return 0;
	if (j->fd >= 0)
		close(j->fd);
	*j = (struct journal){.dir = dir, .fd = -1};
	return err;
}

/* ---- one that is there ---- */

/* Opens and locks it; flags may be LOCK_NB. -1: there is none, or it is somebody's. */
static int open_locked(int dir, const char *name, int flags)
{
	int fd = openat(dir, name, O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC);
	struct stat st;

	if (fd < 0)
		return -1;
	/* Without a name it was removed while we waited, and is done with. */
	if (!flock(fd, LOCK_EX | flags) && !fstat(fd, &st) && S_ISREG(st.st_mode) &&
	    st.st_nlink && st.st_uid == geteuid())
		return fd;
	close(fd);
	return -1;
}

bool journal_claim(struct journal *j)
{
	int dir;

	if (!j->name[0])
		return true;
	dir = open_dir(j->dir);
	/* A descriptor of the one that began it is not ours. */
	j->fd = dir < 0 ? -1 : open_locked(dir, j->name, 0);
	if (dir >= 0)
		close(dir);
	return j->fd >= 0;
}

void journal_end(struct journal *j)
{
	int dir = j->fd < 0 ? -1 : open_dir(j->dir);

	if (dir >= 0) {
		unlinkat(dir, j->name, 0);
		close(dir);
	}
	if (j->fd >= 0)
		close(j->fd);
	*j = (struct journal){.dir = j->dir, .fd = -1};
}

/* ---- what was left behind ---- */

/* How many files of a journal were put back, and the first of them. */
struct recovery {
	const char *root;
	FILE *report;
	unsigned int changed;
	char first[160];
};

static bool is_changed(const struct saved *file)
{
	char now[SAVED_MAX];

	return saved_current(file, now, sizeof(now)) || strcmp(now, file->old);
}

static void recover_file(struct recovery *r, json_t *node)
{
	int form = 0, cpu = -1;
	struct saved file = {0};

	/* The text stays the node's; nothing is changed through it. */
	if (json_unpack(node, "{s:s, s?s, s:s, s:i, s:i}", "path", &file.path, "feature",
			&file.feature, "old", &file.old, "form", &form, "cpu", &cpu) ||
	    form < SAVED_WHOLE || form > SAVED_FEATURE ||
	    (form == SAVED_FEATURE && !file.feature))
		return;
	file.form = (enum saved_form)form;
	file.cpu = cpu;
	if (!is_changed(&file) || saved_restore(&file, r->root, r->report))
		return;
	if (!r->changed++)
		snprintf(r->first, sizeof(r->first), "%s to %.*s", file.path,
			 (int)strcspn(file.old, "\n"), file.old);
}

static void recover_document(json_t *doc, const char *name, FILE *report)
{
	struct recovery r = {.report = report};
	const char *boot = "", *root = NULL;
	json_t *files = NULL, *node;
	char now[64], more[32] = "";
	size_t i;

	read_boot(now, sizeof(now));
	if (json_unpack(doc, "{s:s, s:s, s:o}", "boot", &boot, "root", &root, "files",
			&files) ||
	    strcmp(boot, now))
		return;
	r.root = root;
	json_array_foreach (files, i, node)
		recover_file(&r, node);
	if (r.changed > 1)
		snprintf(more, sizeof(more), ", and %u more", r.changed - 1);
	if (r.changed)
		fprintf(report, "idletrace: put back after a killed ab (pid %s): %s%s\n",
			name + strlen(PREFIX), r.first, more);
}

static void recover(int dir, const char *name, FILE *report)
{
	int fd = open_locked(dir, name, LOCK_NB);
	json_t *doc;

	if (fd < 0)
		return;
	doc = json_loadfd(fd, 0, NULL);
	if (doc)
		recover_document(doc, name, report);
	json_decref(doc);
	unlinkat(dir, name, 0);
	close(fd);
}

void journal_recover(const char *path, FILE *report)
{
	int dir = open_dir(path);
	struct dirent *entry;
	DIR *list;

	if (dir < 0)
		return;
	list = fdopendir(dir);
	while (list && (entry = readdir(list)))
		if (!strncmp(entry->d_name, PREFIX, strlen(PREFIX)))
			recover(dirfd(list), entry->d_name, report);
	if (list)
		closedir(list);
	else
		close(dir);
}
