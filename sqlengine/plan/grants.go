package plan

import (
	"fmt"
	"strings"

	"github.com/dolthub/go-mysql-server/sql"
	hostplan "github.com/dolthub/go-mysql-server/sql/plan"

	"github.com/lakesql/lakesql/sqlengine/bridge"
)

// MySQL 8.0's privileges, as SHOW GRANTS has them of an account with all.
const (
	allStatic = "SELECT, INSERT, UPDATE, DELETE, CREATE, DROP, RELOAD, SHUTDOWN, PROCESS, FILE, REFERENCES, INDEX, ALTER, SHOW DATABASES, SUPER, " +
		"CREATE TEMPORARY TABLES, LOCK TABLES, EXECUTE, REPLICATION SLAVE, REPLICATION CLIENT, CREATE VIEW, SHOW VIEW, CREATE ROUTINE, " +
		"ALTER ROUTINE, CREATE USER, EVENT, TRIGGER, CREATE TABLESPACE, CREATE ROLE, DROP ROLE"
	allDynamic = "APPLICATION_PASSWORD_ADMIN,AUDIT_ABORT_EXEMPT,AUDIT_ADMIN,AUTHENTICATION_POLICY_ADMIN,BACKUP_ADMIN,BINLOG_ADMIN," +
		"BINLOG_ENCRYPTION_ADMIN,CLONE_ADMIN,CONNECTION_ADMIN,ENCRYPTION_KEY_ADMIN,FIREWALL_EXEMPT,FLUSH_OPTIMIZER_COSTS,FLUSH_STATUS," +
		"FLUSH_TABLES,FLUSH_USER_RESOURCES,GROUP_REPLICATION_ADMIN,GROUP_REPLICATION_STREAM,INNODB_REDO_LOG_ARCHIVE,INNODB_REDO_LOG_ENABLE," +
		"PASSWORDLESS_USER_ADMIN,PERSIST_RO_VARIABLES_ADMIN,REPLICATION_APPLIER,REPLICATION_SLAVE_ADMIN,RESOURCE_GROUP_ADMIN," +
		"RESOURCE_GROUP_USER,ROLE_ADMIN,SENSITIVE_VARIABLES_OBSERVER,SERVICE_CONNECTION_ADMIN,SESSION_VARIABLES_ADMIN,SET_USER_ID," +
		"SHOW_ROUTINE,SYSTEM_USER,SYSTEM_VARIABLES_ADMIN,TABLE_ENCRYPTION_ADMIN,TELEMETRY_LOG_ADMIN,XA_RECOVER_ADMIN"
)

// rootUser is the account that there is.
const rootUser = "root"

// showGrants answers SHOW GRANTS. While there are no accounts, whoever is let in
// may do everything.
func showGrants(ctx *sql.Context, n *hostplan.ShowGrants) (sql.RowIter, error) {
	user, host := ctx.Client().User, ctx.Client().Address // as CURRENT_USER() has it
	if n.For != nil && !n.CurrentUser {
		if n.For.Name != rootUser && n.For.Name != user {
			return nil, bridge.Errorf(bridge.CodeNoGrant, "There is no such grant defined for user '%s' on host '%s'", n.For.Name, hostOf(*n.For))
		}
		user, host = n.For.Name, hostOf(*n.For)
	}
	account := quoteName(user) + "@" + quoteName(host)
	if len(n.Using) > 0 {
		r := n.Using[0]
		return nil, bridge.Errorf(bridge.CodeRoleNotGranted, "%s@%s is not granted to %s", quoteName(r.Name), quoteName(hostOf(r)), account)
	}
	return sql.RowsToRowIter(
		sql.Row{fmt.Sprintf("GRANT %s ON *.* TO %s WITH GRANT OPTION", allStatic, account)},
		sql.Row{fmt.Sprintf("GRANT %s ON *.* TO %s WITH GRANT OPTION", allDynamic, account)},
		sql.Row{fmt.Sprintf("GRANT PROXY ON ``@`` TO %s WITH GRANT OPTION", account)},
	), nil
}

func hostOf(u hostplan.UserName) string {
	if u.Host == "" || u.AnyHost {
		return "%"
	}
	return u.Host
}

func quoteName(s string) string { return "`" + strings.ReplaceAll(s, "`", "``") + "`" }
