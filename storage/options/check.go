package options

import (
	"errors"
	"fmt"
	"maps"
	"slices"
)

// Check judges the options that a statement gives, key by key.
//
// err has every fault: unknown keys (with the nearest known one), values that
// the option does not take, options and values of features that are not
// supported, options that a hint cannot give. warnings name the options that
// have no effect here. Both are ordered by key. Whether options go together is
// Validate's business; whether an immutable option may change is the schema's.
func Check(opts map[string]string, where Where) (warnings []string, err error) {
	var faults []error
	for _, key := range slices.Sorted(maps.Keys(opts)) {
		warning, err := checkOne(key, opts[key], where)
		if err != nil {
			faults = append(faults, err)
		}
		if warning != "" {
			warnings = append(warnings, warning)
		}
	}
	return warnings, errors.Join(faults...)
}

func checkOne(key, text string, where Where) (warning string, err error) {
	d, _ := lookup(key)
	if d == nil {
		if near := Nearest(key); near != "" {
			return "", faultf(ErrUnknown, key, text, "unknown option '%s': did you mean '%s'?", key, near)
		}
		return "", faultf(ErrUnknown, key, text, "unknown option '%s'", key)
	}
	canonical, err := d.value(text)
	if err != nil {
		return "", err
	}
	if where == Hint && (d.Immutable || d.NoHint) {
		return "", faultf(ErrNotHint, key, text, "option '%s' belongs to the table and cannot be given by a hint", key)
	}
	if l := d.later(text); l != "" {
		return "", faultf(ErrUnsupported, key, text, "option '%s' = '%s' is not supported yet", key, text)
	}
	if d.isDefault(canonical) {
		return "", nil
	}
	switch d.Tier {
	case Later:
		return "", faultf(ErrUnsupported, key, text, "option '%s' = '%s' is not supported yet: it needs %s", key, text, d.Feature)
	case NoEffect:
		return fmt.Sprintf("option '%s' is stored and has no effect in lakesql", key), nil
	}
	return "", nil
}

// isDefault reports whether a canonical value is the declared default.
func (d *Def) isDefault(canonical string) bool {
	if d.Default == "" {
		return false
	}
	v, err := d.value(d.Default)
	return err == nil && v == canonical
}
