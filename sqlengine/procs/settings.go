package procs

import (
	"strings"

	"github.com/dolthub/go-mysql-server/sql"

	"github.com/lakesql/lakesql/sqlengine/bridge"
)

// runtimeMode is the setting that makes SELECT endless.
const runtimeMode = "execution.runtime-mode"

// settings are the runtime settings and the values they take; nil: any.
func settings() map[string][]string {
	return map[string][]string{
		runtimeMode:                        {"batch"},
		"execution.checkpointing.interval": nil,
		"table.local-time-zone":            nil,
	}
}

func setOption(ctx *sql.Context, key, value string) error {
	s, err := bridge.SessionOf(ctx)
	if err != nil {
		return err
	}
	values, known := settings()[key]
	if !known {
		return bridge.Errorf(bridge.CodeUnknownVariable, "Unknown setting '%s'", key)
	}
	switch {
	case key == runtimeMode && strings.EqualFold(value, "streaming"):
		return bridge.Errorf(bridge.CodeNotSupported, "streaming queries (SET '%s' = 'streaming') are not supported yet", key)
	case key == "table.local-time-zone":
		if _, err := bridge.ParseLocation(value); err != nil {
			return bridge.WithCode(bridge.CodeWrongVariable, err)
		}
		if err := ctx.SetSessionVariable(ctx, "time_zone", value); err != nil {
			return err
		}
	}
	if values != nil {
		ok := false
		for _, v := range values {
			ok = ok || strings.EqualFold(v, value)
		}
		if !ok {
			return bridge.Errorf(bridge.CodeWrongVariable, "Setting '%s' can't be set to the value of '%s'", key, value)
		}
	}
	s.Settings()[key] = value
	return nil
}

func resetOption(ctx *sql.Context, key string) error {
	s, err := bridge.SessionOf(ctx)
	if err != nil {
		return err
	}
	if key == "" {
		clear(s.Settings())
		return nil
	}
	if _, known := settings()[key]; !known {
		return bridge.Errorf(bridge.CodeUnknownVariable, "Unknown setting '%s'", key)
	}
	delete(s.Settings(), key)
	return nil
}
