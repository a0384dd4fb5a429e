package merge

import (
	"math/bits"

	"github.com/lakesql/lakesql/storage/columnar"
)

const (
	pickShift = columnar.PickShift
	pickMask  = columnar.PickMask
)

// node is a contender in a tree of losers: the prefix of the next row of a run.
//
//	          winner
//	            |
//	         [1] loser
//	        /        \
//	   [2] loser   [3] loser          nodes, size-1 of them
//	   /    \       /    \
//	run 0  run 1  run 2  run 3        leaves, size of them, a power of two
//
// The lesser key wins; among equal keys the lesser run. A run that has ended has
// the greatest key and ended set in run, so that it loses every tie.
type node struct{ hi, lo, run uint64 }

const ended = 1 << 40

// gallopAfter is how many rows a run must win in a row before the tree looks for
// a whole range of its rows at once.
const gallopAfter = 16

// tree merges the prefixes of the current blocks of up to MaxRuns runs. One tree
// serves both widths: for a narrow order all lo are zero.
//
// Its loops are compiled for each width: of 64 bits they compare (hi, run), of 128
// (hi, lo, run), and ask compare when equal prefixes do not tell all of the key.
type tree struct {
	narrow bool
	exact  bool // equal prefixes are equal keys
	// compare orders row i of run a's block and row j of run b's block by all of
	// the key. Run numbers above the tree's own are the caller's business.
	compare func(a uint64, i int, b uint64, j int) int

	size  int // leaves
	nodes []node
	win   node
	hi    [][]uint64 // current block of each run
	lo    [][]uint64 // wide only
	pos   []int      // next row of each run; that of a live contender

	streak uint64 // rows that lastRun has won in a row
	last   uint64

	// Output state: see fill.
	picks  []uint32
	starts []int32 // first pick of each group
	prevHi uint64
	prevLo uint64
	open   bool // a key has been emitted and may go on
}

func newTree(runs int, o *Order) *tree {
	size := 2
	for size < runs {
		size *= 2
	}
	return &tree{
		narrow: o.narrow, exact: o.exact, size: size,
		nodes: make([]node, size), hi: make([][]uint64, size), lo: make([][]uint64, size), pos: make([]int, size),
	}
}

// setBlock gives run its next block, or none when it has ended.
func (t *tree) setBlock(run int, p *Prefixes) {
	t.hi[run], t.lo[run], t.pos[run] = nil, nil, 0
	if p != nil {
		t.hi[run], t.lo[run] = p.Hi, p.Lo
	}
}

// leaf is the contender of a run.
func (t *tree) leaf(run int) node {
	p := t.pos[run]
	if p >= len(t.hi[run]) {
		return t.end(uint64(run))
	}
	n := node{hi: t.hi[run][p], run: uint64(run)}
	if !t.narrow {
		n.lo = t.lo[run][p]
	}
	return n
}

// end is the contender of a run that has ended.
func (t *tree) end(run uint64) node {
	n := node{hi: ^uint64(0), run: run | ended}
	if !t.narrow {
		n.lo = ^uint64(0)
	}
	return n
}

// build plays all first contenders against one another.
func (t *tree) build() {
	winners := make([]node, 2*t.size)
	for r := range t.size {
		winners[t.size+r] = t.leaf(r)
	}
	for i := t.size - 1; i > 0; i-- {
		a, b := winners[2*i], winners[2*i+1]
		if t.less(a, b) {
			winners[i], t.nodes[i] = a, b
		} else {
			winners[i], t.nodes[i] = b, a
		}
	}
	t.win = winners[1]
}

// less is the order of contenders.
func (t *tree) less(a, b node) bool {
	if a.hi != b.hi {
		return a.hi < b.hi
	}
	if a.lo != b.lo {
		return a.lo < b.lo
	}
	if c := t.tie(a, b); c != 0 {
		return c < 0
	}
	return a.run < b.run
}

// tells reports whether equal prefixes with this lower half prove equal keys.
func (t *tree) tells(lo uint64) bool { return t.exact || byte(lo) != openMark }

// tie orders contenders of equal prefixes by the rest of their keys.
func (t *tree) tie(a, b node) int {
	if t.narrow || (a.run|b.run)&ended != 0 || t.tells(a.lo) {
		return 0
	}
	return t.compare(a.run, t.pos[a.run], b.run, t.pos[b.run])
}

// next replays the tree after the winner's run moved on.
func (t *tree) next() {
	run := int(t.win.run &^ ended)
	w := t.leaf(run)
	for i := (t.size + run) >> 1; i > 0; i >>= 1 {
		if t.less(t.nodes[i], w) {
			t.nodes[i], w = w, t.nodes[i]
		}
	}
	t.win = w
}

// What fill came to.
const (
	filled   = -1 // the limit was reached
	finished = -2 // all runs have ended

	galloping = -3 // inside of fill: one run wins again and again
)

// fill emits rows in key order until there are limit picks. Picks of equal keys
// form a group, in the order of runs; the last group stays open, as the next row
// may belong to it. When newest is true, only the last pick of a group is kept.
//
// It returns filled, finished, or a run whose block is used up: the caller gathers
// what it needs of that block, gives the run its next one and calls next.
func (t *tree) fill(limit int, newest bool) int {
	keep := uint64(1)
	if newest {
		keep = 0
	}
	t.room(limit)
	step := play[[2]uint64]
	if t.narrow {
		step = play[[1]uint64]
	}
	for {
		got := step(t, limit, keep)
		if got != galloping {
			return got
		}
		if run := t.win.run; t.gallop(run, limit, keep) {
			return int(run)
		}
		t.next()
	}
}

// words is the width of a prefix, which the two loops are compiled for: each of them has
// the code of its own width alone, as if it had been written twice.
type words interface{ [1]uint64 | [2]uint64 }

// play emits winners and replays the tree. Of 64-bit keys no branch depends on the
// order: a comparison is the borrow of a subtraction of (key, run), an exchange is an
// XOR under its mask. Where 128-bit prefixes tie without telling all of the key, the
// columns decide.
func play[W words](t *tree, limit int, keep uint64) int {
	var width W
	wide := len(width) == 2 // known when compiled
	nodes, his, los, pos := t.nodes, t.hi, t.lo, t.pos
	picks, starts := t.picks[:cap(t.picks)], t.starts[:cap(t.starts)]
	out, group := len(t.picks), len(t.starts)
	hi, lo, run, prevHi, prevLo := t.win.hi, t.win.lo, t.win.run, t.prevHi, t.prevLo
	streak, last := t.streak, t.last
	got := filled
	for out < limit {
		if run&ended != 0 {
			got = finished
			break
		}
		row := pos[run]
		pick := uint32(run)<<pickShift | uint32(row)
		d := hi ^ prevHi
		if wide {
			d |= lo ^ prevLo
		}
		differs := (d | -d) >> 63
		if wide && d == 0 && !t.tells(lo) && t.differ(picks[out-1], pick) {
			differs = 1
		}
		prevHi, prevLo = hi, lo
		out += int(differs | keep)
		picks[out-1] = pick
		starts[group] = int32(out - 1)
		group += int(differs)

		row++
		pos[run] = row
		block := his[run]
		if row >= len(block) {
			got = int(run)
			break
		}
		e := run ^ last
		streak = (streak + 1) & ((e|-e)>>63 - 1)
		last = run
		if streak >= gallopAfter {
			streak, got = 0, galloping
			break
		}
		i := (len(nodes) + int(run)) >> 1
		hi = block[row]
		if wide {
			lo = los[run][row]
		}
		for ; i > 0; i >>= 1 {
			n := &nodes[i]
			_, c := bits.Sub64(n.run, run, 0)
			if wide {
				_, c = bits.Sub64(n.lo, lo, c)
			}
			_, c = bits.Sub64(n.hi, hi, c)
			if wide && (n.hi^hi)|(n.lo^lo) == 0 {
				if d := t.tie(*n, node{hi, lo, run}); d < 0 {
					c = 1
				} else if d > 0 {
					c = 0
				}
			}
			m := -c // all ones: the loser of before wins
			x, z := (n.hi^hi)&m, (n.run^run)&m
			n.hi ^= x
			hi ^= x
			n.run ^= z
			run ^= z
			if wide {
				y := (n.lo ^ lo) & m
				n.lo ^= y
				lo ^= y
			}
		}
	}
	t.picks, t.starts = picks[:out], starts[:group]
	t.win, t.prevHi, t.prevLo, t.open = node{hi, lo, run}, prevHi, prevLo, t.open || out > 0
	t.streak, t.last = streak, last
	return got
}

// differ reports whether two picks have different keys.
func (t *tree) differ(a, b uint32) bool {
	return t.compare(uint64(a>>pickShift), int(a&pickMask), uint64(b>>pickShift), int(b&pickMask)) != 0
}

// room makes room for limit picks and as many groups.
func (t *tree) room(limit int) {
	if cap(t.picks) < limit {
		t.picks = append(make([]uint32, 0, limit+limit/4), t.picks...)
	}
	if cap(t.starts) < limit+1 {
		t.starts = append(make([]int32, 0, limit+limit/4+1), t.starts...)
	}
	if !t.open {
		t.prevHi = ^t.win.hi // differs from the first key
	}
}

// gallop emits the rows of run that come before every other run's next one, and
// reports whether that used its block up. Otherwise the tree must be replayed.
func (t *tree) gallop(run uint64, limit int, keep uint64) bool {
	up := t.end(^uint64(0))
	for i := (t.size + int(run)) >> 1; i > 0; i >>= 1 {
		if t.less(t.nodes[i], up) {
			up = t.nodes[i]
		}
	}
	from := t.pos[run]
	end := min(t.search(run, from, up), from+limit-len(t.picks))
	emit := emitRange[[2]uint64]
	if t.narrow {
		emit = emitRange[[1]uint64]
	}
	emit(t, run, from, end, keep)
	t.pos[run] = end
	return end == len(t.hi[run])
}

// emitRange emits rows from to end-1 of a run's block. There is room for them.
func emitRange[W words](t *tree, run uint64, from, end int, keep uint64) {
	var width W
	wide := len(width) == 2
	his, los := t.hi[run], t.lo[run]
	picks, starts := t.picks[:cap(t.picks)], t.starts[:cap(t.starts)]
	out, group, prevHi, prevLo := len(t.picks), len(t.starts), t.prevHi, t.prevLo
	for i := from; i < end; i++ {
		pick := uint32(run)<<pickShift | uint32(i)
		d := his[i] ^ prevHi
		if wide {
			d |= los[i] ^ prevLo
		}
		differs := (d | -d) >> 63
		if wide {
			if d == 0 && !t.tells(los[i]) && t.differ(picks[out-1], pick) {
				differs = 1
			}
			prevLo = los[i]
		}
		prevHi = his[i]
		out += int(differs | keep)
		picks[out-1] = pick
		starts[group] = int32(out - 1)
		group += int(differs)
	}
	t.picks, t.starts, t.prevHi, t.prevLo = picks[:out], starts[:group], prevHi, prevLo
}

// search is the first row of run's block from row from on that does not come
// before up: exponential steps, then halving.
func (t *tree) search(run uint64, from int, up node) int {
	n := len(t.hi[run])
	before := func(i int) bool {
		w := node{hi: t.hi[run][i], run: run}
		if !t.narrow {
			w.lo = t.lo[run][i]
		}
		if w.hi != up.hi || w.lo != up.lo {
			return w.hi < up.hi || w.hi == up.hi && w.lo < up.lo
		}
		if !t.narrow && up.run&ended == 0 && !t.tells(w.lo) {
			if c := t.compare(run, i, up.run, t.pos[up.run]); c != 0 {
				return c < 0
			}
		}
		return run < up.run
	}
	step, lo := 1, from
	for lo+step <= n && before(lo+step-1) {
		lo += step
		step *= 2
	}
	hi := min(lo+step-1, n)
	for lo < hi {
		mid := int(uint(lo+hi) >> 1)
		if before(mid) {
			lo = mid + 1
		} else {
			hi = mid
		}
	}
	return lo
}

// settle drops the first n picks and groups groups, which have been gathered.
func (t *tree) settle(picks, groups int) {
	t.picks = t.picks[:copy(t.picks, t.picks[picks:])]
	t.starts = t.starts[:copy(t.starts, t.starts[groups:])]
	for i := range t.starts {
		t.starts[i] -= int32(picks)
	}
}
