package runner

import (
	"database/sql"
	"errors"
	"fmt"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"github.com/go-sql-driver/mysql"
)

// exponent is how a client writes the exponent of a float: servers write 1e20,
// Go's driver 1e+20.
var exponent = regexp.MustCompile(`^(-?[0-9.]+)e\+?(-?)0*([0-9]+)$`)

// Line prints one row as scripts write it.
func Line(vals []sql.RawBytes) string {
	cells := make([]string, len(vals))
	for i, v := range vals {
		switch {
		case v == nil:
			cells[i] = "NULL"
		case len(v) == 0:
			cells[i] = "(empty)"
		default:
			q := strconv.Quote(string(v))
			cells[i] = exponent.ReplaceAllString(strings.ReplaceAll(q[1:len(q)-1], `\"`, `"`), "${1}e$2$3")
		}
	}
	return strings.Join(cells, "\t")
}

func compare(r *Record, got []string) error {
	want := slices.Clone(r.Want)
	if r.Sort {
		from := 0
		if r.Names {
			from++
		}
		if r.Types {
			from++
		}
		slices.Sort(want[min(from, len(want)):])
	}
	if same(want, got) {
		return nil
	}
	return errors.New(difference(want, got))
}

// difference shows the lines of want (-) and got (+) between what they have in
// common at the begin and at the end.
func difference(want, got []string) string {
	begin, end := 0, 0
	for begin < min(len(want), len(got)) && want[begin] == got[begin] {
		begin++
	}
	for end < min(len(want), len(got))-begin && want[len(want)-1-end] == got[len(got)-1-end] {
		end++
	}
	var b strings.Builder
	fmt.Fprintf(&b, "wanted %d rows (-), got %d (+); %d alike before:", len(want), len(got), begin)
	for _, l := range want[begin : len(want)-end] {
		b.WriteString("\n-" + l)
	}
	for _, l := range got[begin : len(got)-end] {
		b.WriteString("\n+" + l)
	}
	return b.String()
}

// same compares lines; "..." in want stands for any of them.
func same(want, got []string) bool {
	for i, w := range want {
		if w == "..." {
			rest := want[i+1:]
			return len(got)-i >= len(rest) && same(rest, got[len(got)-len(rest):])
		}
		if i >= len(got) || got[i] != w {
			return false
		}
	}
	return len(want) == len(got)
}

func wantError(r *Record, err error) error {
	var me *mysql.MySQLError
	if !errors.As(err, &me) {
		return fmt.Errorf("want error %d, got %s", r.ErrNumber, fmt.Sprint(err))
	}
	state := string(me.SQLState[:])
	if (r.ErrNumber != 0 && int(me.Number) != r.ErrNumber) || !strings.Contains(me.Message, r.ErrText) || (r.ErrState != "" && state != r.ErrState) {
		return fmt.Errorf("want error %d/%s %q, got %d/%s %q", r.ErrNumber, r.ErrState, r.ErrText, me.Number, state, me.Message)
	}
	return nil
}
