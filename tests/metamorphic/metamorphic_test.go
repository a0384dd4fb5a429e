package metamorphic

import (
	"context"
	"flag"
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"
	"time"
)

var (
	seedFlag = flag.Uint64("seed", 0, "seed of the first run; 0 draws one")
	opsFlag  = flag.Int("ops", 60, "operations of a run")
	runsFlag = flag.Int("runs", 0, "number of runs; 0 runs for some seconds")
)

const (
	budget   = 15 * time.Second
	variants = 3 // option sets of a run
)

func TestMetamorphic(t *testing.T) {
	seed := *seedFlag
	if seed == 0 {
		seed = rand.Uint64N(1 << 32)
	}
	runs := *runsFlag
	if *seedFlag != 0 && runs == 0 {
		runs = 1
	}
	limit := budget
	if testing.Short() {
		limit = budget / 5
	}
	start := time.Now()
	n := 0
	for ; runs == 0 && time.Since(start) < limit || n < runs; n++ {
		if err := run(t.Context(), seed+uint64(n), *opsFlag); err != nil {
			t.Fatalf("-seed %d -ops %d: %v", seed+uint64(n), *opsFlag, err)
		}
	}
	t.Logf("%d runs of %d operations over %d tables each, from seed %d", n, *opsFlag, variants, seed)
}

// run draws and runs one list of operations.
func run(ctx context.Context, seed uint64, ops int) error {
	rng := rand.New(rand.NewPCG(seed, 1))
	f := drawFlavour(rng)
	list := generate(rng, f, ops)
	for range variants {
		v := drawVariant(rng, f)
		if err := runVariant(ctx, f, v, list); err != nil {
			return fmt.Errorf("%+v\ntable %s\n%w", f, v, err)
		}
	}
	return nil
}

func runVariant(ctx context.Context, f flavour, v variant, list []*op) error {
	r, err := newRunner(ctx, f, v)
	if err != nil {
		return fmt.Errorf("create: %w", err)
	}
	defer func() { r.close() }()
	for i, o := range list {
		if err := r.step(ctx, o); err != nil {
			var before []string
			for j := max(0, i-8); j < i; j++ {
				before = append(before, fmt.Sprintf("%d %s", j, list[j]))
			}
			return fmt.Errorf("after\n  %s\noperation %d %s: %w", strings.Join(before, "\n  "), i, o, err)
		}
	}
	return r.finish(ctx)
}
