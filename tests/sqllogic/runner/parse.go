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
	Let        string // name that keeps the first value
	Background bool

	File      string // name of a file that is written
	Content   string // of File
	Restart   bool
	Join      bool     // waits for the background statement of Connection
	State     []string // tables to bring into the state of the run
	Query     bool
	Sort      bool
	Names     bool
	Types     bool
	Retry     bool
	SQL       string
	Count     int64 // affected rows; -1: any
	Error     bool
	ErrNumber int // expected error; 0: any
	ErrState  string
	ErrText   string
	Want      []string
	// WantLine and WantEnd are the lines of the wanted rows, from the one after
	// "----" to the blank line, counted from 1; 0: none.
	WantLine, WantEnd int
}

type parser struct {
	s        *bufio.Scanner
	line     int
	protocol string
	server   string
	next     Record // carries what stands before a record
	out      []Record
}

// Parse reads a script.
func Parse(r io.Reader) ([]Record, error) {
	p := &parser{s: bufio.NewScanner(r)}
	p.s.Buffer(nil, 16<<20)
	for p.scan() {
		text := strings.TrimRight(p.s.Text(), " ")
		if text == "" || strings.HasPrefix(text, "#") {
			continue
		}
		if err := p.step(text); err != nil {
			return nil, fmt.Errorf("line %d: %w", p.line, err)
		}
	}
	return p.out, p.s.Err()
}

func (p *parser) scan() bool {
	p.line++
	return p.s.Scan()
}

func (p *parser) step(text string) error {
	word, rest, _ := strings.Cut(text, " ")
	switch word {
	case "connection":
		p.next.Connection = rest
		return nil
	case "only":
		p.next.Only = rest
		return nil
	case "let":
		p.next.Let = rest
		return nil
	case "background":
		p.next.Background = true
		return nil
	case "protocol":
		p.protocol = rest
		return nil
	case "server":
		p.server = rest
		return nil
	}
	rec := p.next
	p.next = Record{}
	rec.Line, rec.Protocol, rec.Count = p.line, p.protocol, -1
	if rec.Only == "" {
		rec.Only = p.server
	}
	if word == "file" || word == "bytes" {
		if err := p.file(&rec, rest, word == "bytes"); err != nil {
			return err
		}
		p.out = append(p.out, rec)
		return nil
	}
	if err := rec.head(word, rest); err != nil {
		return err
	}
	if !rec.Restart && !rec.Join && rec.State == nil {
		p.body(&rec)
	}
	p.out = append(p.out, rec)
	return nil
}

func (r *Record) head(word, rest string) error {
	switch word {
	case "restart":
		r.Restart = true
		return nil
	case "join":
		r.Join, r.Connection = true, rest
		return nil
	case "state":
		if r.State = strings.Fields(rest); r.State == nil {
			return fmt.Errorf("state names no table")
		}
		return nil
	case "query":
		r.Query = true
		for _, f := range strings.Fields(rest) {
			switch f {
			case "rowsort":
				r.Sort = true
			case "colnames":
				r.Names = true
			case "types":
				r.Types = true
			case "retry":
				r.Retry = true
			default:
				return fmt.Errorf("unknown word %q after query", f)
			}
		}
		return nil
	case "statement":
		return r.statement(rest)
	}
	return fmt.Errorf("unknown word %q", word)
}

func (r *Record) statement(rest string) (err error) {
	kind, rest, _ := strings.Cut(rest, " ")
	switch kind {
	case "ok":
	case "count":
		r.Count, err = strconv.ParseInt(rest, 10, 64)
	case "error":
		number, text, _ := strings.Cut(rest, " ")
		number, r.ErrState, _ = strings.Cut(number, "/")
		r.Error, r.ErrText = true, text
		r.ErrNumber, err = strconv.Atoi(number)
	default:
		err = fmt.Errorf("unknown word %q after statement", kind)
	}
	return err
}

// body reads the lines up to the next blank one.
func (p *parser) body(r *Record) {
	var sql []string
	for p.scan() {
		text := p.s.Text()
		switch {
		case strings.TrimSpace(text) == "":
			if r.WantLine > 0 {
				r.WantEnd = p.line
			}
			r.SQL = strings.Join(sql, "\n")
			return
		case r.WantLine > 0:
			r.Want = append(r.Want, text)
		case r.Query && text == "----":
			r.WantLine = p.line + 1
		default:
			sql = append(sql, text)
		}
	}
	if r.WantLine > 0 {
		r.WantEnd = p.line
	}
	r.SQL = strings.Join(sql, "\n")
}

// file reads the lines of a file up to the next blank one.
func (p *parser) file(r *Record, name string, quoted bool) error {
	if r.File = name; name == "" || strings.Contains(name, "/") {
		return fmt.Errorf("%q is no name of a file", name)
	}
	for p.scan() && strings.TrimSpace(p.s.Text()) != "" {
		line := p.s.Text() + "\n"
		if quoted {
			var err error
			if line, err = strconv.Unquote(p.s.Text()); err != nil {
				return fmt.Errorf("%s: %w", p.s.Text(), err)
			}
		}
		r.Content += line
	}
	return nil
}
