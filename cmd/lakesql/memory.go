package main

import (
	"fmt"
	"math"
	"os"
	"runtime/debug"
	"strconv"
	"strings"
)

// memoryLimit is a size such as 512MiB, 2GB or 50% of the machine's memory.
type memoryLimit string

func (m memoryLimit) bytes() (int64, error) {
	s := strings.TrimSpace(string(m))
	if p, ok := strings.CutSuffix(s, "%"); ok {
		n, err := strconv.ParseFloat(p, 64)
		if err != nil || n <= 0 || n > 100 {
			return 0, fmt.Errorf("memory limit '%s' is no percentage from 0 to 100", m)
		}
		total := machineMemory()
		if limit := debug.SetMemoryLimit(-1); heapLimited() {
			total = min(total, limit)
		}
		return int64(float64(total) * n / 100), nil
	}
	units := []struct {
		suffix string
		factor float64
	}{
		{"KiB", 1 << 10}, {"MiB", 1 << 20}, {"GiB", 1 << 30}, {"TiB", 1 << 40},
		{"KB", 1e3}, {"MB", 1e6}, {"GB", 1e9}, {"TB", 1e12}, {"B", 1}, {"", 1},
	}
	for _, u := range units {
		num, ok := cutSuffixFold(s, u.suffix)
		if !ok {
			continue
		}
		n, err := strconv.ParseFloat(strings.TrimSpace(num), 64)
		if err != nil || n <= 0 || n*u.factor > math.MaxInt64/2 {
			break
		}
		return int64(n * u.factor), nil
	}
	return 0, fmt.Errorf("memory limit '%s' is no size such as 512MiB, 2GB or 50%%", m)
}

// heapLimited reports whether the user has limited the Go heap himself.
func heapLimited() bool { return os.Getenv("GOMEMLIMIT") != "" }

// limitHeap has the garbage collector keep the process below the limit. GOMEMLIMIT
// comes first.
func limitHeap(bytes int64) {
	if !heapLimited() {
		debug.SetMemoryLimit(bytes)
	}
}

func cutSuffixFold(s, suffix string) (string, bool) {
	if len(s) < len(suffix) || !strings.EqualFold(s[len(s)-len(suffix):], suffix) {
		return s, false
	}
	return s[:len(s)-len(suffix)], true
}
