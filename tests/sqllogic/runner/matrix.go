package runner

import "strings"

// Matrix lists the states in which a table must answer alike: all commits in
// files of their own, after a minor compaction, after a full one, after a restart
// of the server; each with every given number of buckets.
func Matrix(buckets ...string) []Variant {
	var out []Variant
	for _, b := range buckets {
		for _, s := range []string{"level-0", "minor", "full", "restart"} {
			out = append(out, Variant{State: s, Buckets: b})
		}
	}
	return out
}

// Variant is one cell of Matrix.
type Variant struct {
	State   string
	Buckets string
}

// Name names the cell.
func (v Variant) Name() string { return v.State + "-" + v.Buckets }

// Apply makes the records of one variant: ${buckets} in SQL becomes the number of
// buckets, "state" becomes what brings about the state.
func (v Variant) Apply(records []Record) []Record {
	var out []Record
	for _, r := range records {
		r.SQL = strings.ReplaceAll(r.SQL, "${buckets}", v.Buckets)
		if r.State == nil {
			out = append(out, r)
			continue
		}
		switch v.State {
		case "minor", "full":
			for _, t := range r.State {
				out = append(out, Record{
					Line: r.Line, Connection: r.Connection, Only: r.Only, Protocol: r.Protocol, Count: -1,
					SQL: "CALL sys.compact('" + t + "', '" + v.State + "')",
				})
			}
		case "restart":
			out = append(out, Record{Line: r.Line, Only: r.Only, Protocol: r.Protocol, Restart: true})
		}
	}
	return out
}
