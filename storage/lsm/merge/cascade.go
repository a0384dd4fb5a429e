package merge

import "github.com/lakesql/lakesql/storage/columnar"

// cascade merges the runs of c in groups, so that no more than MaxRuns remain.
// Neighbours in age stay together. Inner merges return all columns and keep
// retractions; where a merge function is to fold they keep every version as well,
// so that the outermost one sees what it would have seen without them.
//
//	runs    0 … 254   255 … 509   510 … 600
//	          \  /       \  /        \  /
//	inner      m0         m1          m2
//	             \        |        /
//	outer              merge
func cascade(c Config) ([]columnar.Reader, error) {
	n := len(c.Runs)
	groups := min((n+MaxRuns-1)/MaxRuns, MaxRuns)
	inner := c
	inner.Output, inner.DropDeletes = nil, false
	if c.Function != nil {
		inner.Function = versions{}
	}
	out := make([]columnar.Reader, 0, groups)
	for g := range groups {
		inner.Runs = c.Runs[n*g/groups : n*(g+1)/groups]
		r, err := newReader(inner)
		if err != nil {
			return nil, err
		}
		out = append(out, r)
	}
	return out, nil
}
