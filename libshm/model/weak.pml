/* SPDX-License-Identifier: BSD-3-Clause
 * weak.pml - stores that reach memory late and out of order, for models of code with relaxed
 * atomics.
 *
 *  process ──put(addr, value, release)──> [ oldest | ... | newest ] ──commit, any time──> mem[addr]
 *
 * Spin runs its statements in the order of the program, as no processor does.  Here a store first
 * goes into the buffer of its process.  It may leave whenever it likes, also before older ones,
 * except: a release store waits for all older ones, and two stores to one place keep their order.
 * That is what C11 promises, and about what AArch64 does; on x86 less happens. */
#define DEPTH 3 /* stores under way in one process: more only make the model larger */

typedef buffer {
	byte n;
	byte addr[DEPTH];
	byte val[DEPTH];
	bool rel[DEPTH]
}

byte mem[CELLS];
buffer buf[STORERS];

/* May entry i of w's buffer reach memory now? */
#define same(w, i, j) (buf[w].addr[i] == buf[w].addr[j])
#define ready0(w)     (buf[w].n > 0)
#define ready1(w)     (buf[w].n > 1 && !buf[w].rel[1] && !same(w, 0, 1))
#define ready2(w)     (buf[w].n > 2 && !buf[w].rel[2] && !same(w, 0, 2) && !same(w, 1, 2))

inline take_out(w, i)
{
	mem[buf[w].addr[i]] = buf[w].val[i];
	j = i;
	do
	:: j + 1 < buf[w].n ->
		buf[w].addr[j] = buf[w].addr[j + 1];
		buf[w].val[j] = buf[w].val[j + 1];
		buf[w].rel[j] = buf[w].rel[j + 1];
		j++
	:: else -> break
	od;
	buf[w].n--;
	buf[w].addr[buf[w].n] = 0;
	buf[w].val[buf[w].n] = 0;
	buf[w].rel[buf[w].n] = 0;
	j = 0
}

/* The memory system of process w: it runs beside it and never ends. */
proctype memory(byte w)
{
	byte j;
end:
	do
	:: d_step { ready0(w) -> take_out(w, 0) }
	:: d_step { ready1(w) -> take_out(w, 1) }
	:: d_step { ready2(w) -> take_out(w, 2) }
	od
}

inline put(w, a, v, r)
{
	d_step {
		buf[w].n < DEPTH ->
		buf[w].addr[buf[w].n] = a;
		buf[w].val[buf[w].n] = v;
		buf[w].rel[buf[w].n] = r;
		buf[w].n++
	}
}

/* A full barrier: all stores of this process are seen by all. */
#define fence(w) (buf[w].n == 0)
