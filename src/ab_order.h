/* SPDX-License-Identifier: GPL-2.0 */
/*
 * In which order the settings of a comparison take their turns, so that drift and what
 * one leaves behind for the next hit all of them alike.
 *
 * Each round has every setting once, and every second round is the one before it
 * backwards: ABBA for two settings. The rounds of a whole period are a Williams square,
 * in which each setting stands in each place, and behind each other one, equally often.
 */
#ifndef IDLETRACE_AB_ORDER_H
#define IDLETRACE_AB_ORDER_H

/* The settings 0 to nr - 1 as they come in that round, into order[nr]. */
void ab_order(unsigned int nr, unsigned int round, unsigned int *order);

/* Rounds after which everything is balanced. */
unsigned int ab_order_period(unsigned int nr);

#endif
