package dialect

import "strings"

// absentStatements begin the statements of MySQL about things that there are not:
// they are refused by name. Those about stored programs and accounts are elsewhere.
var absentStatements = []string{
	"BINLOG", "CACHE INDEX", "CHANGE MASTER", "CHANGE REPLICATION", "CLONE", "GET CURRENT DIAGNOSTICS", "GET DIAGNOSTICS",
	"GET STACKED DIAGNOSTICS", "HANDLER", "IMPORT TABLE", "INSTALL COMPONENT", "INSTALL PLUGIN", "LOAD INDEX INTO CACHE", "LOAD XML",
	"LOCK INSTANCE", "PURGE BINARY LOGS", "PURGE MASTER LOGS", "RESET BINARY LOGS", "RESET MASTER", "RESET PERSIST", "RESET REPLICA",
	"RESET SLAVE", "RESTART", "SET RESOURCE GROUP", "SHOW CREATE USER", "SHUTDOWN", "START GROUP_REPLICATION", "START REPLICA",
	"START SLAVE", "STOP GROUP_REPLICATION", "STOP REPLICA", "STOP SLAVE", "UNINSTALL COMPONENT", "UNINSTALL PLUGIN", "UNLOCK INSTANCE",
	"ALTER INSTANCE", "FLUSH ERROR LOGS", "FLUSH GENERAL LOGS", "FLUSH HOSTS", "FLUSH LOGS", "FLUSH OPTIMIZER_COSTS", "FLUSH RELAY LOGS",
	"FLUSH SLOW LOGS", "FLUSH STATUS", "FLUSH USER_RESOURCES",
}

// absentObjects are things that CREATE, ALTER and DROP would be about.
var absentObjects = []string{"LOGFILE GROUP", "RESOURCE GROUP", "SERVER", "SPATIAL REFERENCE SYSTEM", "TABLESPACE", "UNDO TABLESPACE"}

// absent names a statement about things that there are not; "" for all others.
func (g *grammar) absent() string {
	for _, s := range absentStatements {
		if g.begins(0, s) {
			return s
		}
	}
	word := strings.ToUpper(g.text(0))
	if word != "CREATE" && word != "ALTER" && word != "DROP" {
		return ""
	}
	for _, what := range absentObjects {
		if g.begins(1, what) {
			return word + " " + what
		}
	}
	return ""
}

// begins reports whether the words stand from token i on.
func (g *grammar) begins(i int, words string) bool {
	for more := true; more; i++ {
		var w string
		if w, words, more = strings.Cut(words, " "); !g.is(i, w) {
			return false
		}
	}
	return true
}

// emptyShows are the answers of a server that keeps no logs and has no replicas, no
// profiles and no help, by the words that a statement begins with: their columns.
var emptyShows = []struct{ words, columns string }{
	{"SHOW BINLOG EVENTS", "'' Log_name, 0 Pos, '' Event_type, 0 Server_id, 0 End_log_pos, '' Info"},
	{"SHOW RELAYLOG EVENTS", "'' Log_name, 0 Pos, '' Event_type, 0 Server_id, 0 End_log_pos, '' Info"},
	{"SHOW MASTER LOGS", "'' Log_name, 0 File_size, '' Encrypted"},
	{"SHOW REPLICAS", "0 Server_Id, '' Host, 0 Port, 0 Source_Id, '' Replica_UUID"},
	{"SHOW SLAVE HOSTS", "0 Server_Id, '' Host, 0 Port, 0 Master_Id, '' Slave_UUID"},
	{"SHOW PROFILES", "0 Query_ID, 0.0 Duration, '' Query"},
	{"SHOW PROFILE", "'' Status, 0.0 Duration"},
	{"HELP", "'' name, '' is_it_category"},
}

// emptyShow is the query that a statement without an answer stands for. The engine
// of SHOW ENGINES has nothing to tell; of others there is none.
func (g *grammar) emptyShow() (text string, err error) {
	if g.begins(0, "SHOW ENGINE") && len(g.tokens) == 5 && (g.is(3, "STATUS") || g.is(3, "MUTEX") || g.is(3, "LOGS")) {
		if name := g.text(2); !strings.EqualFold(name, "InnoDB") && !strings.EqualFold(name, "ALL") {
			return "", &Error{Code: codeNoEngine, State: "42000", Pos: g.tokens[2].start, Message: "Unknown storage engine '" + name + "'"}
		}
		return nothingOf("'' Type, '' Name, '' Status"), nil
	}
	for _, s := range emptyShows {
		if g.begins(0, s.words) {
			return nothingOf(s.columns), nil
		}
	}
	return "", nil
}

// nothingOf is a query without rows.
func nothingOf(columns string) string { return "SELECT " + columns + " FROM dual WHERE FALSE" }
