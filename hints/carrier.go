package hints

import (
	"encoding/hex"
	"encoding/json"
	"fmt"
	"strings"
)

// AtKind says how the point of time travel is given.
type AtKind string

// The kinds of points.
const (
	AtNone    AtKind = ""        // no time travel
	AtTime    AtKind = "time"    // a time in the session's zone, or seconds since 1970 when Number
	AtVersion AtKind = "version" // a tag name, or a snapshot id when no tag has that name
)

// At is the point that a table reference is read at.
type At struct {
	Kind    AtKind `json:"k,omitempty"`
	Text    string `json:"v,omitempty"` // times as 2006-01-02 15:04:05.999999999
	Number  bool   `json:"n,omitempty"` // Text is a number that was not quoted
	Unbound bool   `json:"u,omitempty"` // a parameter that has no value yet: being prepared
}

// Read is what a table reference says about how to read it.
type Read struct {
	Options Set
	At      At
}

// readMark opens an encoded Read; no time or version that a user types does.
const readMark = "\x01"

type readText struct {
	Options [][2]string `json:"o,omitempty"`
	At      At          `json:"at"`
}

// Encode returns r as one string, for the value of an AS OF clause.
func (r Read) Encode() string {
	text, err := json.Marshal(readText{Options: pairs(r.Options), At: r.At})
	if err != nil {
		return readMark // cannot happen: strings and booleans only
	}
	return readMark + string(text)
}

// DecodeRead reads what Encode wrote. ok is false for a string that Encode did
// not write, such as a time that somebody typed.
func DecodeRead(s string) (r Read, ok bool, err error) {
	body, ok := strings.CutPrefix(s, readMark)
	if !ok {
		return Read{}, false, nil
	}
	var t readText
	if err := json.Unmarshal([]byte(body), &t); err != nil {
		return Read{}, true, fmt.Errorf("decode read options: %w", err)
	}
	return Read{Options: set(t.Options), At: t.At}, true, nil
}

// PartitionValue is one column of a PARTITION clause. A nil Value is a column
// without a value: the rows say which partition they belong to.
type PartitionValue struct {
	Column string  `json:"c"`
	Value  *string `json:"v,omitempty"`
	Null   bool    `json:"n,omitempty"` // the value is NULL
}

// Target is what a statement says about the table it writes to.
type Target struct {
	Options   Set
	Overwrite bool
	Partition []PartitionValue // nil: no PARTITION clause
}

// IsZero reports whether the statement said nothing.
func (t Target) IsZero() bool {
	return len(t.Options) == 0 && !t.Overwrite && len(t.Partition) == 0
}

type targetText struct {
	Options   [][2]string      `json:"o,omitempty"`
	Overwrite bool             `json:"w,omitempty"`
	Partition []PartitionValue `json:"p,omitempty"`
}

// Qualify returns database with t behind a slash, in lower-case hex: the host
// lower-cases qualifiers on some paths and cuts them at the slash when it checks
// privileges. An empty database stands for the session's.
func (t Target) Qualify(database string) string {
	text, err := json.Marshal(targetText{Options: pairs(t.Options), Overwrite: t.Overwrite, Partition: t.Partition})
	if err != nil {
		return database // cannot happen: strings and booleans only
	}
	return database + "/" + hex.EncodeToString(text)
}

// SplitQualifier undoes Qualify: it returns the database name and what came
// with it. ok is false when qualifier carries nothing.
func SplitQualifier(qualifier string) (database string, t Target, ok bool, err error) {
	database, text, ok := strings.Cut(qualifier, "/")
	if !ok {
		return qualifier, Target{}, false, nil
	}
	raw, err := hex.DecodeString(text)
	if err != nil {
		return database, Target{}, true, fmt.Errorf("decode write options: %w", err)
	}
	var w targetText
	if err := json.Unmarshal(raw, &w); err != nil {
		return database, Target{}, true, fmt.Errorf("decode write options: %w", err)
	}
	return database, Target{Options: set(w.Options), Overwrite: w.Overwrite, Partition: w.Partition}, true, nil
}

func pairs(s Set) [][2]string {
	var p [][2]string
	for _, o := range s {
		p = append(p, [2]string{o.Key, o.Value})
	}
	return p
}

func set(p [][2]string) Set {
	var s Set
	for _, kv := range p {
		s = append(s, Option{Key: kv[0], Value: kv[1]})
	}
	return s
}
