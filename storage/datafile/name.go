package datafile

import (
	"fmt"
	"strconv"
	"strings"
	"sync/atomic"
)

// Names makes the names of new files. It is safe for many goroutines.
type Names struct {
	// DataPrefix is option data-file.prefix; ChangelogPrefix changelog-file.prefix.
	DataPrefix, ChangelogPrefix string
	// IncludeCompression is option file.suffix.include.compression.
	IncludeCompression bool
	// UUID, in dashed lower case, makes the names of this writer unlike all others'.
	UUID string

	count atomic.Int64
}

// Data is a new name for a data file of a format (its extension) and compression.
func (n *Names) Data(format, compression string) string {
	return n.next(n.DataPrefix, format, compression)
}

// Changelog is a new name for a changelog file.
func (n *Names) Changelog(format, compression string) string {
	return n.next(n.ChangelogPrefix, format, compression)
}

func (n *Names) next(prefix, format, compression string) string {
	var b strings.Builder
	b.WriteString(prefix)
	b.WriteString(n.UUID)
	b.WriteByte('-')
	b.WriteString(strconv.FormatInt(n.count.Add(1)-1, 10))
	if ext := compressionExtension(compression); ext != "" && n.IncludeCompression {
		b.WriteByte('.')
		b.WriteString(ext)
	}
	b.WriteByte('.')
	b.WriteString(format)
	return b.String()
}

// compressionExtension is what a compression adds to a name; "" for none.
func compressionExtension(compression string) string {
	switch c := strings.ToLower(compression); c {
	case "", "none":
		return ""
	case "gzip":
		return "gz"
	case "bzip2":
		return "bz2"
	case "zstd":
		return "zst"
	default:
		return c
	}
}

// FormatOf is the format of a file by its name: the last extension, or the one
// before it when the last names a compression.
func FormatOf(name string) (string, error) {
	rest, ext, ok := cutLast(name, '.')
	if ok {
		switch strings.ToLower(ext) {
		case "gz", "bz2", "deflate", "snappy", "lz4", "zst":
			_, ext, ok = cutLast(rest, '.')
		}
	}
	if !ok || ext == "" {
		return "", fmt.Errorf("file name %q does not tell a format", name)
	}
	return ext, nil
}

func cutLast(s string, sep byte) (before, after string, found bool) {
	if i := strings.LastIndexByte(s, sep); i >= 0 {
		return s[:i], s[i+1:], true
	}
	return s, "", false
}
