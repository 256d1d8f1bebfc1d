// SPDX-License-Identifier: GPL-2.0
/*
 * For static builds only, and linked only where libelf.a leaves these undefined: that of
 * elfutils 0.192 (Debian 13) calls two functions of a library of its own that is not
 * packaged. They prepare and free a search tree that only elf_getdata_rawchunk() fills,
 * which neither libbpf nor idletrace calls; the tree is all zero from the start.
 */
void eu_search_tree_init(void *tree);
void eu_search_tree_fini(void *tree, void (*free_node)(void *));

void eu_search_tree_init(void *tree)
{
	(void)tree;
}

void eu_search_tree_fini(void *tree, void (*free_node)(void *))
{
	(void)tree;
	(void)free_node;
}
