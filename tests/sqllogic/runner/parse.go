package runner

import (
	"bufio"
	"fmt"
	"io"
	"strconv"
	"strings"
)

// Record is one step of a script.
type Record struct {
	Line       int
	Connection string // "" is the first one
	Only       string // server kind that runs it; "": all
	Protocol   string // text, binary, or both when ""

	Restart   bool
	Query     bool
	Sort      bool
	Names     bool
	SQL       string
	Count     int64 // affected rows; -1: any
	ErrNumber int   // expected error; 0: none
	ErrText   string
	Want      []string
}

// Parse reads a script.
func Parse(r io.Reader) ([]Record, error) {
	var out []Record
	var next Record // carries what stands before a record
	protocol := ""
	s := bufio.NewScanner(r)
	s.Buffer(nil, 16<<20)
	line := 0
	block := func() []string { // the lines up to the next blank one
		var ls []string
		for s.Scan() {
			line++
			if strings.TrimSpace(s.Text()) == "" {
				break
			}
			ls = append(ls, s.Text())
		}
		return ls
	}
	for s.Scan() {
		line++
		text := strings.TrimRight(s.Text(), " ")
		word, rest, _ := strings.Cut(text, " ")
		switch {
		case text == "" || strings.HasPrefix(text, "#"):
			continue
		case word == "connection":
			next.Connection = rest
			continue
		case word == "only":
			next.Only = rest
			continue
		case word == "protocol":
			protocol = rest
			continue
		}
		rec := next
		next = Record{}
		rec.Line, rec.Protocol, rec.Count = line, protocol, -1
		if err := rec.head(word, rest); err != nil {
			return nil, fmt.Errorf("line %d: %w", line, err)
		}
		if !rec.Restart {
			rec.body(block())
		}
		out = append(out, rec)
	}
	return out, s.Err()
}

func (r *Record) head(word, rest string) error {
	switch word {
	case "restart":
		r.Restart = true
		return nil
	case "query":
		r.Query = true
		for _, f := range strings.Fields(rest) {
			switch f {
			case "rowsort":
				r.Sort = true
			case "colnames":
				r.Names = true
			default:
				return fmt.Errorf("unknown word %q after query", f)
			}
		}
		return nil
	case "statement":
		kind, rest, _ := strings.Cut(rest, " ")
		var err error
		switch kind {
		case "ok":
		case "count":
			r.Count, err = strconv.ParseInt(rest, 10, 64)
		case "error":
			number, text, _ := strings.Cut(rest, " ")
			r.ErrText = text
			r.ErrNumber, err = strconv.Atoi(number)
		default:
			err = fmt.Errorf("unknown word %q after statement", kind)
		}
		return err
	}
	return fmt.Errorf("unknown word %q", word)
}

func (r *Record) body(lines []string) {
	for i, l := range lines {
		if r.Query && l == "----" {
			r.Want = lines[i+1:]
			lines = lines[:i]
			break
		}
	}
	r.SQL = strings.Join(lines, "\n")
}
