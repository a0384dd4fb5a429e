package write

import "slices"

// Bucket names a bucket of a table: the serialised partition row and the number.
type Bucket struct {
	Partition string
	Number    int32
}

// maxKeys is how many key hashes a write keeps per bucket; beyond it counts as
// the whole bucket.
const maxKeys = 100_000

// keySet is the keys of one bucket that a write touched: hashes, or all of them.
// They are put in order when somebody asks: most sets are never compared.
type keySet struct {
	all    bool
	sorted bool
	hashes []uint32
}

func (s *keySet) add(hashes []uint32) {
	if s.all || len(hashes) == 0 {
		return
	}
	if len(s.hashes)+len(hashes) > maxKeys {
		s.setAll()
		return
	}
	s.hashes, s.sorted = append(s.hashes, hashes...), false
}

// setAll makes the set stand for its whole bucket.
func (s *keySet) setAll() { s.all, s.hashes = true, nil }

// order sorts the hashes, each once.
func (s *keySet) order() []uint32 {
	if !s.sorted {
		slices.Sort(s.hashes)
		s.hashes, s.sorted = slices.Compact(s.hashes), true
	}
	return s.hashes
}

func (s *keySet) meets(o *keySet) bool {
	if s.all || o.all {
		return true
	}
	a, b := s.order(), o.order()
	if len(a) > len(b) {
		a, b = b, a
	}
	for _, h := range a {
		i, found := slices.BinarySearch(b, h)
		if found {
			return true
		}
		b = b[i:]
	}
	return false
}

// writes is what one snapshot, or one statement, wrote.
type writes struct {
	everything bool // an overwrite, or a snapshot we know nothing of
	buckets    map[Bucket]*keySet
}

func (w *writes) of(b Bucket) *keySet {
	if w.buckets == nil {
		w.buckets = map[Bucket]*keySet{}
	}
	s := w.buckets[b]
	if s == nil {
		s = &keySet{}
		w.buckets[b] = s
	}
	return s
}

func (w *writes) meets(o *writes) bool {
	if (w.everything && (o.everything || len(o.buckets) > 0)) || (o.everything && len(w.buckets) > 0) {
		return true
	}
	for b, s := range w.buckets {
		if t := o.buckets[b]; t != nil && s.meets(t) {
			return true
		}
	}
	return false
}

// merge adds what o wrote.
func (w *writes) merge(o *writes) {
	w.everything = w.everything || o.everything
	for b, s := range o.buckets {
		t := w.of(b)
		if s.all {
			t.setAll()
			continue
		}
		t.add(s.hashes)
	}
}

func (w *writes) size() int {
	n := 1
	for _, s := range w.buckets {
		n += 1 + len(s.hashes)
	}
	return n
}

// recent remembers what the newest snapshots wrote, so that a statement which
// read an older one can tell whether its keys were written since. It is a value
// without lock; the publisher guards it.
type recent struct {
	first int64 // snapshot id of log[0]
	log   []*writes
	total int // sum of sizes
	limit int // most keys remembered
}

func newRecent(limit int) *recent { return &recent{limit: limit} }

// add records what snapshot id wrote. Ids that were left out count as unknown.
func (r *recent) add(id int64, w *writes) {
	switch next := r.first + int64(len(r.log)); {
	case len(r.log) == 0:
		r.first = id
	case id < next: // the table was rolled back or replaced
		r.log, r.total, r.first = nil, 0, id
	default:
		for ; next < id; next++ {
			r.log = append(r.log, &writes{everything: true})
			r.total++
		}
	}
	r.log = append(r.log, w)
	r.total += w.size()
	for r.total > r.limit && len(r.log) > 1 {
		r.total -= r.log[0].size()
		r.log[0] = nil
		r.log = r.log[1:]
		r.first++
	}
}

// writtenSince reports whether a key of w was, or may have been, written by a
// snapshot after base, up to latest.
func (r *recent) writtenSince(base, latest int64, w *writes) bool {
	if latest <= base {
		return latest < base
	}
	if len(r.log) == 0 || base+1 < r.first || latest >= r.first+int64(len(r.log)) {
		return true
	}
	for _, o := range r.log[base+1-r.first : latest+1-r.first] {
		if o.meets(w) {
			return true
		}
	}
	return false
}
