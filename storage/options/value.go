package options

import (
	"errors"
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"
	"time"
)

// ParseBool reads true or false in any case.
func ParseBool(text string) (bool, error) {
	switch {
	case strings.EqualFold(text, "true"):
		return true, nil
	case strings.EqualFold(text, "false"):
		return false, nil
	}
	return false, errors.New("neither true nor false")
}

// number splits text into its leading digits and what follows, lower-cased and trimmed.
func number(text string) (int64, string, error) {
	text = strings.TrimSpace(text)
	end := 0
	for end < len(text) && text[end] >= '0' && text[end] <= '9' {
		end++
	}
	if end == 0 {
		return 0, "", errors.New("does not start with a number")
	}
	n, err := strconv.ParseInt(text[:end], 10, 64)
	if err != nil {
		return 0, "", errors.New("number is too large")
	}
	return n, strings.ToLower(strings.TrimSpace(text[end:])), nil
}

// ParseSize reads a memory size in bytes: a whole number and a unit (b, kb, mb,
// gb, tb and their other spellings, 1024 each step); without a unit it is bytes.
func ParseSize(text string) (int64, error) {
	n, unit, err := number(text)
	if err != nil {
		return 0, err
	}
	var shift uint
	switch unit {
	case "", "b", "bytes":
	case "k", "kb", "kibibytes":
		shift = 10
	case "m", "mb", "mebibytes":
		shift = 20
	case "g", "gb", "gibibytes":
		shift = 30
	case "t", "tb", "tebibytes":
		shift = 40
	default:
		return 0, fmt.Errorf("unknown unit %q", unit)
	}
	if n > math.MaxInt64>>shift {
		return 0, errors.New("number is too large")
	}
	return n << shift, nil
}

// ParseDuration reads a time span: a whole number and a unit (ns, µs, ms, s,
// min, h, d and their other spellings); without a unit it is milliseconds.
// Spans over 292 years are cut to that.
func ParseDuration(text string) (time.Duration, error) {
	n, unit, err := number(text)
	if err != nil {
		return 0, err
	}
	var u time.Duration
	switch unit {
	case "d", "day", "days":
		u = 24 * time.Hour
	case "h", "hour", "hours":
		u = time.Hour
	case "m", "min", "minute", "minutes":
		u = time.Minute
	case "s", "sec", "secs", "second", "seconds":
		u = time.Second
	case "", "ms", "milli", "millis", "millisecond", "milliseconds":
		u = time.Millisecond
	case "µs", "μs", "us", "micro", "micros", "microsecond", "microseconds":
		u = time.Microsecond
	case "ns", "nano", "nanos", "nanosecond", "nanoseconds":
		u = time.Nanosecond
	default:
		return 0, fmt.Errorf("unknown unit %q", unit)
	}
	if n > math.MaxInt64/int64(u) {
		return math.MaxInt64, nil
	}
	return time.Duration(n) * u, nil
}

// ParseLevels reads a map such as 0:avro,3:parquet. Parts may be in quotes.
func ParseLevels(text string) (map[int]string, error) {
	out := map[int]string{}
	if strings.TrimSpace(text) == "" {
		return out, nil
	}
	for item := range strings.SplitSeq(text, ",") {
		item = unquote(strings.TrimSpace(item))
		k, v, ok := strings.Cut(item, ":")
		if !ok {
			return nil, fmt.Errorf("%q has no colon", item)
		}
		level, err := strconv.Atoi(unquote(strings.TrimSpace(k)))
		if err != nil || level < 0 {
			return nil, fmt.Errorf("%q is not a level", k)
		}
		if _, twice := out[level]; twice {
			return nil, fmt.Errorf("level %d is given twice", level)
		}
		out[level] = unquote(strings.TrimSpace(v))
	}
	return out, nil
}

// unquote takes one pair of quotes off a text.
func unquote(s string) string {
	if len(s) >= 2 && (s[0] == '\'' || s[0] == '"') && s[len(s)-1] == s[0] {
		q := s[:1]
		return strings.ReplaceAll(s[1:len(s)-1], q+q, q)
	}
	return s
}

// SplitColumns splits a list of column names at its commas; blanks around names
// and empty names are dropped.
func SplitColumns(text string) []string {
	var out []string
	for name := range strings.SplitSeq(text, ",") {
		if name = strings.TrimSpace(name); name != "" {
			out = append(out, name)
		}
	}
	return out
}

// codec maps the spellings of a codec to one of codecs; ok is false for others.
func codec(text string) (name string, ok bool) {
	s := strings.ToLower(strings.TrimSpace(text))
	switch s {
	case "null", "uncompressed", "":
		return "none", true
	case "zstandard":
		return "zstd", true
	case "lz4_raw":
		return "lz4", true
	}
	return s, slices.Contains(codecs(), s)
}

// statsMode returns the canonical spelling of a statistics mode.
func statsMode(text string) (string, error) {
	s := strings.ToLower(strings.TrimSpace(text))
	switch s {
	case "none", "counts", "full":
		return s, nil
	}
	if inner, ok := strings.CutPrefix(s, "truncate("); ok {
		if inner, ok = strings.CutSuffix(inner, ")"); ok {
			if n, err := strconv.Atoi(strings.TrimSpace(inner)); err == nil && n > 0 {
				return fmt.Sprintf("truncate(%d)", n), nil
			}
		}
	}
	return "", errors.New("no statistics mode")
}

// value checks text against the option's type and returns its canonical form,
// by which it is compared with the default: sizes in bytes, durations in
// nanoseconds, enums as declared. Values of features that are not supported
// pass; a Levels option is checked level by level.
func (d *Def) value(text string) (string, error) {
	bad := func() (string, error) {
		return "", faultf(ErrValue, d.Key, text, "option '%s' cannot be '%s': it takes %s", d.Key, text, d.Accepts())
	}
	inRange := func(n int64, err error) (string, error) {
		if err != nil || d.HasMin && n < d.Min || d.HasMax && n > d.Max {
			return bad()
		}
		return strconv.FormatInt(n, 10), nil
	}
	switch d.Kind {
	case Bool:
		b, err := ParseBool(strings.TrimSpace(text))
		if err != nil {
			return bad()
		}
		return strconv.FormatBool(b), nil
	case Int:
		return inRange(strconv.ParseInt(strings.TrimSpace(text), 10, 32))
	case Long:
		return inRange(strconv.ParseInt(strings.TrimSpace(text), 10, 64))
	case Double:
		f, err := strconv.ParseFloat(strings.TrimSpace(text), 64)
		if err != nil {
			return bad()
		}
		return strconv.FormatFloat(f, 'g', -1, 64), nil
	case Size:
		return inRange(ParseSize(text))
	case Duration:
		n, err := ParseDuration(text)
		return inRange(int64(n), err)
	case Enum:
		for _, v := range d.Values {
			if strings.EqualFold(v, strings.TrimSpace(text)) {
				return v, nil
			}
		}
		return bad()
	case Codec:
		name, ok := codec(text)
		if !ok && !slices.Contains(laterCodecs(), name) {
			return bad()
		}
		return name, nil
	case Format:
		name := strings.ToLower(strings.TrimSpace(text))
		if !slices.Contains(formats(), name) && !slices.Contains(laterFormats(), name) {
			return bad()
		}
		return name, nil
	case StatsMode:
		s, err := statsMode(text)
		if err != nil {
			return bad()
		}
		return s, nil
	case Levels:
		m, err := ParseLevels(text)
		if err != nil {
			return bad()
		}
		e := *d
		e.Kind = d.Elem
		for _, v := range m {
			if _, err := e.value(v); err != nil {
				return bad()
			}
		}
	}
	return text, nil
}

// later returns the part of a good value that belongs to a feature that is not
// supported yet, or "".
func (d *Def) later(text string) string {
	switch d.Kind {
	case Enum:
		for _, v := range d.Later {
			if strings.EqualFold(v, strings.TrimSpace(text)) {
				return v
			}
		}
	case Codec:
		if name, ok := codec(text); !ok {
			return name
		}
	case Format:
		if name := strings.ToLower(strings.TrimSpace(text)); !slices.Contains(formats(), name) {
			return name
		}
	case Levels:
		e := *d
		e.Kind = d.Elem
		m, err := ParseLevels(text)
		if err != nil {
			return ""
		}
		for _, v := range m {
			if l := e.later(v); l != "" {
				return l
			}
		}
	}
	return ""
}
