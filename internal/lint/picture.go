package lint

// layer is a place in the import picture: a package, or all packages below one
// when path ends with a slash (the longest path counts).
type layer struct {
	path   string // relative to the module
	height int    // imports go to smaller heights only
}

// The borders between groups of layers.
const (
	bytesHeight     = 10
	valuesHeight    = 20
	encodingsHeight = 30 // from here to verbs: machinery that only storage sees
	filesHeight     = 40
	structureHeight = 50
	verbsHeight     = 60
	tableHeight     = 70
	namesHeight     = 80
	sqlHeight       = 90
	programHeight   = 100
)

// picture is the order of all packages, from the ground up.
func picture() []layer {
	return []layer{
		// ground
		{"internal/corrupt", 0},
		{"internal/membudget", 1},
		{"internal/parallel", 0},
		{"internal/lint", 0},
		{"internal/testkit", valuesHeight + 9},
		{"hints", 0},

		// bytes
		{"storage/fileio", bytesHeight},
		{"storage/fileio/", bytesHeight + 1},

		// values
		{"storage/types", valuesHeight},
		{"storage/columnar", valuesHeight + 1},
		{"storage/columnar/arrowrecord", valuesHeight + 2},
		{"storage/row", valuesHeight + 2},
		{"storage/stats", valuesHeight + 3},
		{"storage/predicate", valuesHeight + 4},
		{"storage/options", valuesHeight},
		{"storage/schema", valuesHeight + 5},

		// encodings
		{"storage/fileindex", encodingsHeight},
		{"storage/format/codec", encodingsHeight},
		{"storage/format/avroschema", encodingsHeight},
		{"storage/format", encodingsHeight},
		{"storage/format/", encodingsHeight + 1},

		// files
		{"storage/datafile", filesHeight},
		{"storage/indexfile/", filesHeight + 1},
		{"storage/indexfile", filesHeight + 2},

		// structure
		{"storage/lsm/level", structureHeight},
		{"storage/lsm/merge", structureHeight + 1},
		{"storage/lsm/", structureHeight + 2},
		{"storage/lsm", structureHeight + 3},
		{"storage/snapshot", structureHeight},
		{"storage/snapshot/manifest", structureHeight + 1},
		{"storage/snapshot/", structureHeight + 2},

		// verbs
		{"storage/scan", verbsHeight},
		{"storage/check", verbsHeight},
		{"storage/inspect", verbsHeight},
		{"storage/write", verbsHeight},
		{"storage/maintain", verbsHeight},

		{"storage", tableHeight},

		// names
		{"catalog", namesHeight},
		{"catalog/", namesHeight + 1},
		{"systables", namesHeight + 2},

		// SQL
		{"sqlengine/exec/expr", sqlHeight},
		{"sqlengine/loadfile", sqlHeight},
		{"sqlengine/exec", sqlHeight + 1},
		{"sqlengine/bridge", sqlHeight + 1},
		{"sqlengine/funcs", sqlHeight + 2},
		{"sqlengine/plan", sqlHeight + 3},
		{"sqlengine/procs", sqlHeight + 4},
		{"sqlengine/dialect", sqlHeight},
		{"sqlengine/wire", sqlHeight + 4},
		{"sqlengine", sqlHeight + 5},

		{"cmd/", programHeight},
		{"internal/gen/", programHeight},
		{"tests/", programHeight + 1},
	}
}

// restriction forbids packages below some paths to import packages below others,
// whatever their heights.
type restriction struct {
	from   string // path prefix
	except []string
	to     []string // import path prefixes; ours are relative to the module
	why    string
}

func restrictions() []restriction {
	host := []string{"github.com/dolthub/go-mysql-server", "github.com/dolthub/vitess"}
	return []restriction{
		{from: "", except: []string{
			"sqlengine", "sqlengine/dialect", "sqlengine/bridge", "sqlengine/funcs", "sqlengine/plan", "sqlengine/procs", "sqlengine/wire", "tests/",
		}, to: host, why: "only sqlengine and its dialect, bridge, funcs, plan, procs and wire know the host engine"},
		{from: "sqlengine/exec", to: []string{
			"sqlengine/bridge", "sqlengine/dialect", "sqlengine/plan", "sqlengine/procs", "sqlengine/wire",
			"catalog", "systables", "hints", "storage/lsm", "storage/snapshot", "storage/format", "storage/datafile", "storage/scan",
			"storage/write", "storage/fileio", "storage/schema", "storage/options", "storage/row",
		}, why: "exec sees columnar, types and internal only"},
		{from: "sqlengine/exec/expr", to: []string{"sqlengine/exec"}, why: "exec imports expr, not the other way round"},
		{from: "storage/lsm", to: []string{"storage/snapshot"}, why: "lsm and snapshot meet in the types of datafile only"},
		{from: "storage/snapshot", to: []string{"storage/lsm"}, why: "lsm and snapshot meet in the types of datafile only"},
		{from: "", except: []string{"storage/columnar/arrowrecord", "storage/format/parquet", "tests/"},
			to: []string{"github.com/apache/arrow-go"}, why: "only columnar/arrowrecord, and format/parquet to test against, name the array library"},
		{from: "hints", to: []string{"storage", "catalog", "sqlengine", "internal"}, why: "hints is a leaf"},
	}
}

// seenAbove are the packages of the machinery that code above storage may name,
// since storage's own methods take and return their values.
func seenAbove() []string {
	return []string{"storage/snapshot"} // Snapshot, ID, and the errors of tags and consumers
}

// stateAllowed are package variables that hold state all the same, each with its reason.
func stateAllowed() map[string]string {
	return map[string]string{
		"sqlengine.open": "the host engine has process-wide variables, which it guards",
	}
}
