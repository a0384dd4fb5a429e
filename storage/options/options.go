package options

import (
	"errors"
	"fmt"
	"strings"
)

// Kind is the type of an option's value.
type Kind uint8

// The kinds of values.
const (
	Bool      Kind = iota // true or false
	Int                   // 32-bit whole number
	Long                  // 64-bit whole number
	Double                // number
	Size                  // bytes, such as 128 mb
	Duration              // time span, such as 10 min
	Text                  // any text
	Enum                  // one of Def.Values
	Columns               // column names with commas between
	Codec                 // compression codec
	Format                // file format
	StatsMode             // none, counts, full or truncate(n)
	Levels                // values of Def.Elem by level, such as 0:avro,3:parquet
)

// String names the kind as the options page does.
func (k Kind) String() string {
	return [...]string{
		"boolean", "int", "long", "double", "memory size", "duration", "string", "enum",
		"column list", "codec", "file format", "statistics mode", "map by level",
	}[k]
}

// Tier says what lakesql does with an option.
type Tier uint8

// The tiers.
const (
	// Supported options have their effect.
	Supported Tier = iota
	// NoEffect options are stored, with a warning: they tune other engines, or
	// speed alone.
	NoEffect
	// Later options belong to a feature that is not supported yet. Statements that
	// give them are refused, unless the value is the default.
	Later
)

// String names the tier as the options page does.
func (t Tier) String() string {
	return [...]string{"supported", "no effect", "not supported yet"}[t]
}

// Def declares an option.
type Def struct {
	// Key is the option's name. In a pattern <f> stands for a column name and <x>
	// for any text; each is at least one character.
	Key     string
	Kind    Kind
	Elem    Kind   // kind of the values of Levels
	Default string // text of the default; "" when there is none or it is derived

	Values []string // Enum: what is accepted
	Later  []string // values of features that are not supported yet

	Min, Max int64 // bounds of Int, Long and Size; see HasMin
	HasMin   bool  // Min counts
	HasMax   bool  // Max counts

	Tier    Tier
	Feature string // of Later: the feature, as errors name it

	Immutable bool     // may not change once the table has a snapshot, nor by hint
	NoHint    bool     // may not be given by hint
	Fallbacks []string // older keys, read when Key is absent
	Doc       string   // what it does, for the options page
}

// Where says in which kind of statement options are given.
type Where uint8

// The places where options are given.
const (
	Create Where = iota // CREATE TABLE
	Alter               // ALTER TABLE … SET
	Hint                // OPTIONS of a query or an INSERT
)

var (
	// ErrUnknown matches the error for a key that is not an option.
	ErrUnknown = errors.New("unknown option")
	// ErrValue matches the error for a value that the option does not take.
	ErrValue = errors.New("invalid option value")
	// ErrUnsupported matches the error for an option or a value of a feature that
	// is not supported yet.
	ErrUnsupported = errors.New("unsupported option")
	// ErrNotHint matches the error for an option that a hint cannot give.
	ErrNotHint = errors.New("option cannot be given by hint")
	// ErrConflict matches the error for options that do not go together.
	ErrConflict = errors.New("conflicting options")
)

// Error is a fault of one option. It matches one of the package's sentinels.
type Error struct {
	Key   string
	Value string
	Kind  error  // ErrUnknown, ErrValue, ErrUnsupported, ErrNotHint or ErrConflict
	Text  string // the whole message
}

func (e *Error) Error() string { return e.Text }

// Is reports whether target is the error's kind.
func (e *Error) Is(target error) bool { return e.Kind == target }

func faultf(kind error, key, value, format string, args ...any) error {
	return &Error{Key: key, Value: value, Kind: kind, Text: fmt.Sprintf(format, args...)}
}

// Accepts describes the values that the option takes, for errors and the options page.
func (d *Def) Accepts() string {
	if d.Kind == Levels {
		e := *d
		e.Kind = d.Elem
		return "level:value pairs with commas between, such as 0:a,3:b, each value " + e.Accepts()
	}
	switch d.Kind {
	case Bool:
		return "true or false"
	case Int, Long:
		return "a whole number" + d.bounds(func(n int64) string { return fmt.Sprint(n) })
	case Double:
		return "a number"
	case Size:
		return "a size such as 128 mb (units b, kb, mb, gb, tb)" + d.bounds(func(n int64) string { return fmt.Sprintf("%d b", n) })
	case Duration:
		return "a duration such as 10 min (units ns, us, ms, s, min, h, d)"
	case Enum:
		return "one of " + strings.Join(d.Values, ", ")
	case Columns:
		return "column names with commas between"
	case Codec:
		return "one of " + strings.Join(codecs(), ", ")
	case Format:
		return "one of " + strings.Join(formats(), ", ")
	case StatsMode:
		return "none, counts, full or truncate(n)"
	}
	return "text"
}

func (d *Def) bounds(show func(int64) string) string {
	switch {
	case d.HasMin && d.HasMax:
		return " from " + show(d.Min) + " to " + show(d.Max)
	case d.HasMin:
		return ", at least " + show(d.Min)
	case d.HasMax:
		return ", at most " + show(d.Max)
	}
	return ""
}

// codecs are the compression codecs that lakesql writes, by the names that options use.
func codecs() []string { return []string{"zstd", "snappy", "gzip", "lz4", "brotli", "none"} }

// laterCodecs are codecs that other engines write in some format and lakesql does not.
func laterCodecs() []string { return []string{"lzo", "bzip2", "xz", "deflate", "zlib"} }

// formats are the data file formats that lakesql writes.
func formats() []string { return []string{"parquet", "avro"} }

// laterFormats are data file formats that other engines write and lakesql does not.
func laterFormats() []string {
	return []string{"orc", "csv", "json", "text", "row", "lance", "mosaic", "blob"}
}
