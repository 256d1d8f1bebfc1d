// SPDX-License-Identifier: GPL-2.0
#include "ab_order.h"

/* 0, 1, n - 1, 2, n - 2...: no two neighbours are equally far apart. */
static unsigned int zigzag(unsigned int nr, unsigned int place)
{
	return place % 2 ? (place + 1) / 2 : (nr - place / 2) % nr;
}

/* With an even nr a row backwards is another row: half of them, there and back, are all.
 */
void ab_order(unsigned int nr, unsigned int round, unsigned int *order)
{
	unsigned int row = round / 2 % (nr % 2 ? nr : nr / 2);

	for (unsigned int i = 0; i < nr; i++) {
		unsigned int place = round % 2 ? nr - 1 - i : i;

		order[i] = (zigzag(nr, place) + row) % nr;
	}
}

unsigned int ab_order_period(unsigned int nr)
{
	return nr == 1 ? 1 : nr % 2 ? 2 * nr : nr;
}
