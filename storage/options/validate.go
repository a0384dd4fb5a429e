package options

import (
	"errors"
	"slices"
	"strings"
)

// Validate checks that a table's options go together, as far as that can be
// said without the columns. err has every fault. It is called with all options
// of the table that a CREATE or ALTER would leave, or that a hint makes.
func Validate(opts map[string]string) error {
	t, err := Parse(opts)
	if err != nil {
		return err
	}
	v := &validator{p: &parser{opts: opts}, t: &t}
	v.scanMode()
	v.counts()
	v.changelogs()
	return errors.Join(v.faults...)
}

type validator struct {
	p      *parser
	t      *Table
	faults []error
}

func (v *validator) fault(key, format string, args ...any) {
	v.faults = append(v.faults, faultf(ErrConflict, key, v.p.opts[key], format, args...))
}

// startKeys are the options that say where a read starts, by the mode that they imply.
func startKeys() map[string][]string {
	return map[string][]string{
		"from-timestamp":          {"scan.timestamp-millis", "scan.timestamp"},
		"from-creation-timestamp": {"scan.creation-time-millis"},
		"from-file-creation-time": {"scan.file-creation-time-millis"},
		"from-snapshot":           {"scan.snapshot-id", "scan.tag-name", "scan.watermark", "scan.version"},
		"from-snapshot-full":      {"scan.snapshot-id"},
		"incremental":             {"incremental-between", "incremental-between-timestamp", "incremental-to-auto-tag"},
	}
}

// scanMode checks that scan.mode and the keys that go with it agree.
func (v *validator) scanMode() {
	keys := startKeys()
	var given []string
	for mode, list := range keys {
		if mode == "from-snapshot-full" {
			continue // its key is from-snapshot's too
		}
		for _, k := range list {
			if v.p.has(k) {
				given = append(given, k)
			}
		}
	}
	slices.Sort(given)
	mode := v.t.Scan.StartMode()
	wanted, needs := keys[mode]
	switch {
	case needs:
		var of []string
		for _, k := range given {
			if slices.Contains(wanted, k) {
				of = append(of, k)
			} else {
				v.fault(k, "%s must be null when you use %s for scan.mode", k, mode)
			}
		}
		switch {
		case len(of) == 0 && len(wanted) == 1:
			v.fault(wanted[0], "%s can not be null when you use %s for scan.mode", wanted[0], mode)
		case len(of) != 1:
			v.fault("scan.mode", "must set only one key in [%s] when you use %s for scan.mode", strings.Join(wanted, ","), mode)
		}
	default:
		for _, k := range given {
			v.fault(k, "%s must be null when you use %s for scan.mode", k, mode)
		}
	}
}

// counts checks that lower bounds do not exceed upper ones.
func (v *validator) counts() {
	r := &v.t.Retention
	if r.MinSnapshots > r.MaxSnapshots {
		v.fault("snapshot.num-retained.min", "snapshot.num-retained.min should not be larger than snapshot.num-retained.max")
	}
	if r.ChangelogMin > r.ChangelogMax {
		v.fault("changelog.num-retained.min", "changelog.num-retained.min should not be larger than changelog.num-retained.max")
	}
	if c := &v.t.Commit; c.MinRetryWait > c.MaxRetryWait {
		v.fault("commit.min-retry-wait", "commit.min-retry-wait should not be larger than commit.max-retry-wait")
	}
}

// changelogs checks what goes with which changelog producer.
func (v *validator) changelogs() {
	producer := v.t.Changelog.Producer
	if v.p.bool("streaming-read-overwrite") && (producer == "lookup" || producer == "full-compaction") {
		v.fault("streaming-read-overwrite", "cannot set streaming-read-overwrite to true when changelog producer is %s, because it will read duplicated changes", producer)
	}
	if v.t.Compaction.DeltaCommits > 0 && producer == "lookup" {
		v.fault("full-compaction.delta-commits", "full-compaction.delta-commits is incompatible with changelog-producer = lookup: use changelog-producer = full-compaction, or remove it")
	}
	if v.p.bool("deletion-vectors.enabled") && producer == "full-compaction" {
		v.fault("deletion-vectors.enabled", "deletion vectors do not go with changelog-producer = full-compaction")
	}
	if v.t.Merge.Engine == "first-row" && (producer == "input" || producer == "full-compaction") {
		v.fault("changelog-producer", "merge-engine = first-row takes only changelog-producer none or lookup, not %s", producer)
	}
}
