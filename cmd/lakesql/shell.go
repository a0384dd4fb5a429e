package main

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"io"
	"os"
	"os/signal"
	"path/filepath"
	"strings"
	"time"

	"github.com/chzyer/readline"
	"github.com/go-sql-driver/mysql"

	"github.com/lakesql/lakesql/sqlengine"
)

// shell runs statements on a connection and prints their results.
type shell struct {
	*app
	conn   *sql.Conn
	format string
	timing bool // say how long a statement took
}

// script runs statements until one fails.
func (s *shell) script(text string) error {
	for _, stmt := range sqlengine.Split(text) {
		if err := s.statement(s.ctx, stmt); err != nil {
			return err
		}
	}
	return nil
}

// statement runs one statement and prints what it answers.
func (s *shell) statement(ctx context.Context, stmt string) error {
	start := time.Now()
	format := s.format
	if head, ok := strings.CutSuffix(stmt, `\G`); ok {
		stmt, format = head, "vertical"
	}
	if name, ok := sqlengine.LocalFile(stmt); ok {
		// The server gets no file but the one that the user names.
		mysql.RegisterLocalFile(name)
		defer mysql.DeregisterLocalFile(name)
	}
	rows, err := s.conn.QueryContext(ctx, stmt)
	if err != nil {
		return err
	}
	defer rows.Close()
	cols, err := rows.ColumnTypes()
	if err != nil {
		return err
	}
	if len(cols) == 0 {
		if err := rows.Close(); err != nil {
			return err
		}
		return s.affected(ctx, start)
	}
	p := newPrinter(format, s.stdout)
	n, err := p.print(rows, cols)
	if err != nil {
		return err
	}
	if s.timing {
		fmt.Fprintf(s.stdout, "%s in %s\n\n", count(n, "row"), took(start))
	}
	return nil
}

func (s *shell) affected(ctx context.Context, start time.Time) error {
	if !s.timing {
		return nil
	}
	var n int64
	if err := s.conn.QueryRowContext(ctx, "SELECT ROW_COUNT()").Scan(&n); err != nil {
		return err
	}
	fmt.Fprintf(s.stdout, "OK, %s affected in %s\n\n", count(max(n, 0), "row"), took(start))
	return nil
}

func count(n int64, what string) string {
	if n == 1 {
		return "1 " + what
	}
	return fmt.Sprintf("%d %ss", n, what)
}

func took(start time.Time) time.Duration { return time.Since(start).Round(time.Millisecond) }

// interactive reads statements from the terminal until the user leaves.
func (s *shell) interactive() error {
	rl, err := readline.NewEx(&readline.Config{
		Prompt: "lakesql> ", HistoryFile: historyFile(), AutoComplete: s.completer(),
		DisableAutoSaveHistory: true, InterruptPrompt: "^C", EOFPrompt: "exit",
	})
	if err != nil {
		return fmt.Errorf("terminal: %w", err)
	}
	defer rl.Close()
	fmt.Fprintln(s.stdout, "Statements end with a semicolon, or with \\G to show rows vertically. \\q leaves, \\f table|csv|json|vertical sets the format.")
	var text strings.Builder
	for s.ctx.Err() == nil {
		if text.Len() == 0 {
			rl.SetPrompt("lakesql> ")
		} else {
			rl.SetPrompt("      -> ")
		}
		line, err := rl.Readline()
		switch {
		case errors.Is(err, readline.ErrInterrupt):
			text.Reset()
			continue
		case errors.Is(err, io.EOF):
			return nil
		case err != nil:
			return fmt.Errorf("terminal: %w", err)
		}
		if text.Len() == 0 && s.command(strings.TrimSpace(line)) {
			if strings.HasPrefix(strings.TrimSpace(line), `\q`) || strings.EqualFold(strings.TrimSpace(line), "exit") || strings.EqualFold(strings.TrimSpace(line), "quit") {
				return nil
			}
			continue
		}
		text.WriteString(line + "\n")
		if !sqlengine.Complete(text.String()) && !strings.HasSuffix(strings.TrimSpace(text.String()), `\G`) {
			continue
		}
		_ = rl.SaveHistory(strings.Join(strings.Fields(text.String()), " "))
		for _, stmt := range sqlengine.Split(text.String()) {
			if err := s.watched(stmt); err != nil {
				fmt.Fprintln(s.stderr, "ERROR", err)
				break
			}
		}
		text.Reset()
	}
	return nil
}

// command handles what is no SQL.
func (s *shell) command(line string) bool {
	switch {
	case line == "":
		return true
	case line == `\q`, strings.EqualFold(line, "exit"), strings.EqualFold(line, "quit"):
		return true
	case strings.HasPrefix(line, `\f `):
		f := strings.TrimSpace(line[3:])
		switch f {
		case "table", "csv", "json", "vertical":
			s.format = f
		default:
			fmt.Fprintln(s.stderr, "formats are table, csv, json and vertical")
		}
		return true
	}
	return false
}

// watched runs a statement that ^C interrupts, and shows that it runs.
func (s *shell) watched(stmt string) error {
	ctx, stop := signal.NotifyContext(s.ctx, os.Interrupt)
	defer stop()
	done := make(chan struct{})
	stopped := make(chan struct{})
	go func() {
		defer close(stopped)
		s.progress(done)
	}()
	err := s.statement(ctx, stmt)
	close(done)
	<-stopped
	return err
}

// progress shows the time of a statement that takes long, until done.
func (s *shell) progress(done <-chan struct{}) {
	start := time.Now()
	tick := time.NewTicker(time.Second)
	defer tick.Stop()
	shown := false
	for {
		select {
		case <-done:
			if shown {
				fmt.Fprint(s.stderr, "\r\033[K")
			}
			return
		case <-tick.C:
			shown = true
			fmt.Fprintf(s.stderr, "\r\033[Krunning %s", time.Since(start).Round(time.Second))
		}
	}
}

func historyFile() string {
	dir, err := os.UserHomeDir()
	if err != nil {
		return ""
	}
	return filepath.Join(dir, ".lakesql_history")
}

// completer knows SQL's first words and the tables of the database.
func (s *shell) completer() readline.AutoCompleter {
	var items []readline.PrefixCompleterInterface
	for _, w := range strings.Fields("SELECT INSERT UPDATE DELETE REPLACE LOAD CREATE ALTER DROP SHOW DESCRIBE EXPLAIN USE SET CALL BEGIN COMMIT ROLLBACK TRUNCATE FROM WHERE") {
		items = append(items, readline.PcItem(w))
	}
	items = append(items, readline.PcItemDynamic(func(string) []string {
		names, err := s.tables()
		if err != nil {
			return nil
		}
		return names
	}))
	return wordCompleter{readline.NewPrefixCompleter(items...)}
}

func (s *shell) tables() (names []string, err error) {
	rows, err := s.conn.QueryContext(s.ctx, "SHOW TABLES")
	if err != nil {
		return nil, err
	}
	defer rows.Close()
	for rows.Next() {
		var n string
		if err := rows.Scan(&n); err != nil {
			return nil, err
		}
		names = append(names, n)
	}
	return names, rows.Err()
}

// wordCompleter completes the last word of a line.
type wordCompleter struct{ words readline.AutoCompleter }

// Do implements readline.AutoCompleter.
func (c wordCompleter) Do(line []rune, pos int) ([][]rune, int) {
	from := pos
	for from > 0 && line[from-1] != ' ' && line[from-1] != '(' && line[from-1] != ',' {
		from--
	}
	return c.words.Do(line[from:pos], pos-from)
}
