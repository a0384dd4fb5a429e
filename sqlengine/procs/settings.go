package procs

import (
	"strings"

	"github.com/dolthub/go-mysql-server/sql"

	"github.com/lakesql/lakesql/sqlengine/bridge"
)

// The runtime settings.
const (
	runtimeMode = "execution.runtime-mode"           // streaming would make SELECT endless
	localZone   = "table.local-time-zone"            // MySQL's time_zone
	checkpoints = "execution.checkpointing.interval" // of continuous jobs
)

func setOption(ctx *sql.Context, key, value string) error {
	switch key {
	case runtimeMode:
		switch strings.ToLower(value) {
		case "batch":
			return nil
		case "streaming":
			return bridge.Errorf(bridge.CodeNotSupported, "streaming queries (SET '%s' = 'streaming') are not supported yet", key)
		}
		return bridge.Errorf(bridge.CodeWrongVariable, "Setting '%s' can't be set to the value of '%s'", key, value)
	case localZone:
		if _, err := bridge.ParseLocation(value); err != nil {
			return bridge.WithCode(bridge.CodeWrongVariable, err)
		}
		return ctx.SetSessionVariable(ctx, "time_zone", value)
	case checkpoints:
		return bridge.Errorf(bridge.CodeNotSupported, "setting '%s' is for continuous jobs, which are not supported yet", key)
	}
	return unknownSetting(key)
}

// resetOption gives a setting, or all of them for "", what it had at the start.
func resetOption(ctx *sql.Context, key string) error {
	switch key {
	case runtimeMode, checkpoints:
		return nil
	case localZone, "":
		if _, zone, ok := sql.SystemVariables.GetGlobal("time_zone"); ok {
			return ctx.SetSessionVariable(ctx, "time_zone", zone)
		}
		return nil
	}
	return unknownSetting(key)
}

func unknownSetting(key string) error {
	return bridge.Errorf(bridge.CodeUnknownVariable, "Unknown setting '%s'", key)
}
