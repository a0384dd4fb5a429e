package metamorphic

import (
	"fmt"
	"maps"
	"math/rand/v2"
	"slices"
	"strings"

	"github.com/lakesql/lakesql/storage/schema"
)

// drawFlavour draws what the operations mean.
func drawFlavour(rng *rand.Rand) flavour {
	f := flavour{keyed: rng.IntN(4) > 0, partitioned: rng.IntN(2) == 0}
	if f.keyed {
		f.sequence = rng.IntN(2) == 0
		f.descending = f.sequence && rng.IntN(2) == 0
	}
	return f
}

// variant is how a table of a flavour is stored.
type variant struct {
	options     map[string]string
	memoryBytes int64
}

func (v variant) String() string {
	var parts []string
	for _, k := range slices.Sorted(maps.Keys(v.options)) {
		parts = append(parts, k+"="+v.options[k])
	}
	return fmt.Sprintf("memory=%d %s", v.memoryBytes, strings.Join(parts, " "))
}

// drawVariant draws options that may not change an answer.
func drawVariant(rng *rand.Rand, f flavour) variant {
	o := map[string]string{}
	one := func(key string, values ...string) {
		if v := values[rng.IntN(len(values))]; v != "" {
			o[key] = v
		}
	}
	one("file.format", "", "parquet", "avro")
	one("target-file-size", "", "1 kb", "20 kb")
	one("target-file-row-num", "", "", "7", "100")
	one("file.block-size", "", "4 kb")
	one("metadata.stats-mode", "", "none", "counts", "truncate(2)", "full")
	one("metadata.stats-dense-store", "", "false")
	one("fields.s.stats-mode", "", "", "none")
	one("manifest.target-file-size", "", "500 b")
	one("manifest.merge-min-count", "", "2")
	one("manifest.full-compaction-threshold-size", "", "1 kb")
	one("manifest.compression", "", "none", "snappy")
	one("source.split.target-size", "", "1 b", "2 kb")
	one("partition.default-name", "", "none")
	one("file-index.bloom-filter.columns", "", "", "k", "p,k")
	one("file-index.bloom-filter.k.items", "", "5")
	one("file-index.in-manifest-threshold", "", "1 b")
	v := variant{options: o}
	if rng.IntN(3) == 0 {
		v.memoryBytes = 64 << 10
	}
	if f.keyed {
		one("bucket", "1", "3", "-1", "")
		one("dynamic-bucket.target-row-num", "", "10")
		one("data-file.thin-mode", "", "true")
		one("num-levels", "", "2", "7")
		one("num-sorted-run.compaction-trigger", "", "1", "2", "3")
		one("compaction.max-size-amplification-percent", "", "0", "100000")
		one("compaction.size-ratio", "", "0", "80")
		one("file.format.per.level", "", "", "0:avro", "5:avro")
		one("metadata.stats-mode.per.level", "", "", "0:none")
		one("write-buffer-size", "", "10 kb")
	} else if rng.IntN(2) == 0 {
		one("bucket", "1", "3")
		o["bucket-key"] = "k"
		one("compaction.min.file-num", "", "1", "2")
	}
	codecs := []string{"", "zstd", "snappy", "none"}
	if o["file.format"] != "avro" && o["file.format.per.level"] == "" {
		codecs = append(codecs, "gzip", "lz4", "brotli") // Avro has none of these
	}
	one("file.compression", codecs...)
	if f.sequence {
		o["sequence.field"] = "s"
		if f.descending {
			o["sequence.field.sort-order"] = "descending"
		}
	}
	return v
}

// definition is the table of a variant.
func definition(f flavour, v variant) schema.Definition {
	d := schema.Definition{Fields: baseFields(), Options: v.options}
	if f.partitioned {
		d.PartitionKeys = []string{"p"}
	}
	if f.keyed {
		d.PrimaryKeys = []string{"k", "p"}
		for i := range 2 {
			d.Fields[i].Type = d.Fields[i].Type.WithNotNull(true)
		}
	}
	return d
}
