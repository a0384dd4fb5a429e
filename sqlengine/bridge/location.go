package bridge

import (
	"fmt"
	"math"
	"strings"
	"time"

	"github.com/dolthub/go-mysql-server/sql"

	"github.com/lakesql/lakesql/sqlengine/exec/expr"
)

// Location is the session's time zone. An unknown one is UTC: the host refuses
// to set it.
func Location(ctx *sql.Context) *time.Location {
	v, err := ctx.GetSessionVariable(ctx, "time_zone")
	if err != nil {
		return time.UTC
	}
	name, _ := v.(string)
	s, ok := ctx.Session.(*Session)
	if ok {
		if z := s.zone.Load(); z != nil && z.name == name {
			return z.loc
		}
	}
	loc, err := ParseLocation(name)
	if err != nil {
		return time.UTC
	}
	if ok {
		s.zone.Store(&zone{name, loc})
	}
	return loc
}

// zone is a time zone that was read, and the name that asks for it.
type zone struct {
	name string
	loc  *time.Location
}

// Now is the time at which the statement began, or what the session's variable
// timestamp says.
func Now(ctx *sql.Context) time.Time {
	if s, ok := ctx.Session.(*Session); ok {
		if at := s.timestamp(ctx); at != 0 {
			return time.UnixMicro(int64(math.Round(at * 1e6)))
		}
	}
	return ctx.QueryTime()
}

// ParseLocation reads a time zone as MySQL names it: SYSTEM, an offset such as
// +02:00, or a region.
func ParseLocation(name string) (*time.Location, error) {
	switch {
	case name == "" || strings.EqualFold(name, "SYSTEM"):
		return time.Local, nil
	case name[0] == '+' || name[0] == '-':
		var h, m int
		n, err := fmt.Sscanf(name[1:], "%d:%d", &h, &m)
		if n != 2 || err != nil || len(name) > len("+hh:mm") || h < 0 || m < 0 || m > 59 ||
			name[0] == '+' && h*60+m > 14*60 || name[0] == '-' && h > 13 {
			return nil, unknownZone(name)
		}
		s := h*3600 + m*60
		if name[0] == '-' {
			s = -s
		}
		if s == 0 {
			return time.UTC, nil
		}
		return time.FixedZone(name, s), nil
	}
	loc, err := time.LoadLocation(name)
	if err != nil {
		return nil, unknownZone(name)
	}
	return loc, nil
}

func unknownZone(name string) error {
	return Errorf(CodeUnknownTimeZone, "Unknown or incorrect time zone: '%s'", name)
}

// ParseInstant reads a time as MySQL writes one, as a clock in loc unless it
// brings its own offset; nil when it is none.
func ParseInstant(text string, loc *time.Location) *time.Time {
	dt, st := expr.ParseDateTime(text)
	if st != expr.OK {
		return nil
	}
	var at time.Time
	if dt.HasOffset {
		at = time.Unix(dt.Day*86400-int64(dt.Offset), dt.Nanos)
	} else {
		at = instant(time.Unix(dt.Day*86400, dt.Nanos), loc)
	}
	return &at
}
