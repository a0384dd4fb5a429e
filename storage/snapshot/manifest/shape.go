package manifest

import (
	"fmt"

	"github.com/lakesql/lakesql/internal/corrupt"
	"github.com/lakesql/lakesql/storage/format/avroschema"
)

// shape names the members that we read of a record, tag i+1 for member i, and the
// shapes of members that are records, or arrays of records, themselves.
type shape struct {
	members  []string
	required int // the first so many must be there
	nested   map[string]*shape
}

// resolve marks the members of a record type, also when it is nullable.
func (s *shape) resolve(n *avroschema.Type) error {
	rec := recordOf(n)
	if rec == nil {
		return corrupt.Errorf("", corrupt.NoOffset, "avro schema: %v where a record is expected", n.Kind)
	}
	seen := 0
	for i := range rec.Fields {
		f := &rec.Fields[i]
		for t, name := range s.members {
			if f.Name != name {
				continue
			}
			f.Tag = t + 1
			if t < s.required {
				seen++
			}
			if sub := s.nested[name]; sub != nil {
				if err := sub.resolve(f.Type); err != nil {
					return fmt.Errorf("member %s: %w", name, err)
				}
			}
		}
	}
	if seen < s.required {
		return corrupt.Errorf("", corrupt.NoOffset, "avro schema lacks one of the members %v", s.members[:s.required])
	}
	return nil
}

// recordOf finds the record in a record, a nullable one, or an array of either.
func recordOf(n *avroschema.Type) *avroschema.Type {
	switch n.Kind {
	case avroschema.Record:
		return n
	case avroschema.Array:
		return recordOf(n.Items)
	case avroschema.Union:
		for _, b := range n.Branches {
			if b.Kind == avroschema.Record || b.Kind == avroschema.Array {
				return recordOf(b)
			}
		}
	}
	return nil
}
