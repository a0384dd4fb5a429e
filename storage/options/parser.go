package options

import (
	"maps"
	"slices"
	"strconv"
	"strings"
	"time"
)

// parser reads values by declared key and gathers the faults.
type parser struct {
	opts   map[string]string
	faults []error
}

// raw gives the text of an option under its key or an older one.
func (p *parser) raw(d *Def) (text string, ok bool) {
	if text, ok = p.opts[d.Key]; ok {
		return text, true
	}
	for _, old := range d.Fallbacks {
		if text, ok = p.opts[old]; ok {
			return text, true
		}
	}
	return "", false
}

// get gives the canonical value of an option: what the table says, else the
// default, else "". A bad value is noted and the default returned.
func (p *parser) get(key string) string {
	d := declared().byKey[key]
	if text, ok := p.raw(d); ok {
		v, err := d.value(text)
		if err == nil {
			return v
		}
		p.faults = append(p.faults, err)
	}
	if d.Default == "" {
		return ""
	}
	v, err := d.value(d.Default)
	if err != nil {
		p.faults = append(p.faults, err)
	}
	return v
}

func (p *parser) has(key string) bool {
	_, ok := p.raw(declared().byKey[key])
	return ok
}

func (p *parser) text(key string) string { return p.get(key) }

func (p *parser) bool(key string) bool { return p.get(key) == "true" }

// long gives a whole number, a size in bytes or a time span in nanoseconds; 0
// when it is not set. get has checked the text.
func (p *parser) long(key string) int64 {
	n, _ := strconv.ParseInt(p.get(key), 10, 64)
	return n
}

func (p *parser) longPtr(key string) *int64 {
	if !p.has(key) {
		return nil
	}
	n := p.long(key)
	return &n
}

func (p *parser) int(key string) int { return int(p.long(key)) }

func (p *parser) size(key string) int64 { return p.long(key) }

func (p *parser) duration(key string) time.Duration { return time.Duration(p.long(key)) }

func (p *parser) double(key string) float64 {
	f, _ := strconv.ParseFloat(p.get(key), 64)
	return f
}

// levels gives the values by level in canonical form; nil when there are none.
func (p *parser) levels(key string) map[int]string {
	text := p.get(key)
	if text == "" {
		return nil
	}
	m, _ := ParseLevels(text)
	e := *declared().byKey[key]
	e.Kind = e.Elem
	for level, v := range m {
		m[level], _ = e.value(v)
	}
	return m
}

// columns gives the values of a pattern by column; nil when there are none.
func (p *parser) columns(pattern string) map[string]string {
	var out map[string]string
	for _, key := range slices.Sorted(maps.Keys(p.opts)) {
		d, column := lookup(key)
		if d == nil || d.Key != pattern {
			continue
		}
		text := p.opts[key]
		v, err := d.value(text)
		if err != nil {
			p.faults = append(p.faults, err)
			continue
		}
		if out == nil {
			out = map[string]string{}
		}
		out[column] = v
	}
	return out
}

// prefixed gives the options under any of the prefixes; nil when there are none.
func (p *parser) prefixed(prefixes ...string) map[string]string {
	var out map[string]string
	for key, text := range p.opts {
		for _, prefix := range prefixes {
			if !strings.HasPrefix(key, prefix) {
				continue
			}
			if out == nil {
				out = map[string]string{}
			}
			out[key] = text
		}
	}
	return out
}
