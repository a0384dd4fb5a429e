package bucketindex

import (
	"fmt"
	"slices"
)

const (
	// DefaultTargetRows is the default of dynamic-bucket.target-row-num.
	DefaultTargetRows = 2_000_000
	// maxBucket is the highest bucket that the reference can address.
	maxBucket = 32766
)

// Options say how buckets grow.
type Options struct {
	// TargetRows is the number of hashes at which a bucket is full; 0 is
	// DefaultTargetRows. dynamic-bucket.target-row-num.
	TargetRows int
	// MaxBuckets bounds the buckets of a partition, which then grow beyond
	// TargetRows; 0 or less is no bound. dynamic-bucket.max-buckets.
	MaxBuckets int
	// Pick chooses one of n buckets when all are full and none may be added.
	Pick func(n int) int
}

// Partition is the bucket of every key hash of one partition. It is not safe for
// several goroutines. It takes some 16 bytes a hash.
type Partition struct {
	o       Options
	table   table
	buckets map[int][]uint32 // hashes by bucket, in order of arrival
	numbers []int            // of the buckets, ascending
	room    int              // position in numbers of the first bucket that may have room
	free    int              // no number below it is free
	changed map[int]bool     // buckets with hashes that Saved has not seen
}

// NewPartition returns an empty partition.
func NewPartition(o Options) *Partition {
	if o.TargetRows <= 0 {
		o.TargetRows = DefaultTargetRows
	}
	if o.Pick == nil {
		o.Pick = func(int) int { return 0 }
	}
	return &Partition{o: o, buckets: map[int][]uint32{}, changed: map[int]bool{}}
}

// Load adds the hashes of a bucket's index file, which it keeps. It is called for
// every bucket, before the first Assign.
func (p *Partition) Load(bucket int, hashes []uint32) {
	p.addBucket(bucket)
	p.buckets[bucket] = hashes
	p.table.reserve(len(hashes))
	for _, h := range hashes {
		p.table.put(h, bucket)
	}
}

func (p *Partition) addBucket(bucket int) {
	if i, ok := slices.BinarySearch(p.numbers, bucket); !ok {
		p.numbers = slices.Insert(p.numbers, i, bucket)
		p.buckets[bucket] = nil
		p.room = min(p.room, i)
	}
}

// Assign returns the buckets of keys with these hashes, appended to dst. A hash
// that is new gets a bucket, which is then among Changed.
func (p *Partition) Assign(dst []int32, hashes []uint32) ([]int32, error) {
	for _, h := range hashes {
		bucket, ok := p.table.get(h)
		if !ok {
			var err error
			if bucket, err = p.choose(); err != nil {
				return dst, err
			}
			p.table.reserve(1)
			p.table.put(h, bucket)
			p.buckets[bucket] = append(p.buckets[bucket], h)
			p.changed[bucket] = true
		}
		dst = append(dst, int32(bucket))
	}
	return dst, nil
}

// choose finds a bucket for a new hash.
func (p *Partition) choose() (int, error) {
	for ; p.room < len(p.numbers); p.room++ {
		if bucket := p.numbers[p.room]; len(p.buckets[bucket]) < p.o.TargetRows {
			return bucket, nil
		}
	}
	if p.o.MaxBuckets > 0 && len(p.numbers) >= p.o.MaxBuckets {
		return p.numbers[p.o.Pick(len(p.numbers))], nil
	}
	for {
		if _, taken := p.buckets[p.free]; !taken {
			break
		}
		p.free++
	}
	next := p.free
	if next > maxBucket {
		return 0, fmt.Errorf("more than %d dynamic buckets in a partition: raise dynamic-bucket.target-row-num above %d", maxBucket, p.o.TargetRows)
	}
	p.addBucket(next)
	return next, nil
}

// Changed returns the buckets that got new hashes, ascending.
func (p *Partition) Changed() []int {
	list := make([]int, 0, len(p.changed))
	for b := range p.changed {
		list = append(list, b)
	}
	slices.Sort(list)
	return list
}

// Hashes returns all hashes of a bucket, valid until the next Assign.
func (p *Partition) Hashes(bucket int) []uint32 { return p.buckets[bucket] }

// Saved forgets what changed: the index files of these buckets are published.
func (p *Partition) Saved() { clear(p.changed) }

// table maps hashes to buckets by open addressing. Keys are hashes already, so
// that a multiplication spreads them well enough.
type table struct {
	slots []slot
	used  int
}

type slot struct {
	hash   uint32
	bucket int32 // bucket + 1; 0 is free
}

const minSlots = 16

// reserve makes room for n more hashes, keeping a third of the slots free.
func (t *table) reserve(n int) {
	need := (t.used + n) * 3 / 2
	if need < len(t.slots) {
		return
	}
	size := max(minSlots, 2*len(t.slots))
	for size <= need {
		size *= 2
	}
	old := t.slots
	t.slots, t.used = make([]slot, size), 0
	for _, s := range old {
		if s.bucket != 0 {
			t.put(s.hash, int(s.bucket)-1)
		}
	}
}

func (t *table) find(h uint32) *slot {
	mask := uint32(len(t.slots) - 1)
	for i := (h * 0x9e3779b1) >> 7 & mask; ; i = (i + 1) & mask {
		if s := &t.slots[i]; s.bucket == 0 || s.hash == h {
			return s
		}
	}
}

func (t *table) put(h uint32, bucket int) {
	s := t.find(h)
	if s.bucket == 0 {
		t.used++
	}
	s.hash, s.bucket = h, int32(bucket)+1
}

func (t *table) get(h uint32) (bucket int, ok bool) {
	if len(t.slots) == 0 {
		return 0, false
	}
	s := t.find(h)
	return int(s.bucket) - 1, s.bucket != 0
}
