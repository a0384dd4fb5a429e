package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"os"
	"os/signal"
	"syscall"

	"github.com/alecthomas/kong"
)

// version is set when a release is built.
var version = "dev"

// cli is the command line.
type cli struct {
	LogLevel slog.Level       `help:"Least level that is logged: debug, info, warn or error." default:"warn" env:"LAKESQL_LOG_LEVEL"`
	Version  kong.VersionFlag `help:"Print the version and exit." env:"-"`

	Serve serveCmd `cmd:"" help:"Serve MySQL clients."`
	SQL   sqlCmd   `cmd:"" name:"sql" help:"Run SQL: a shell, one statement or a file."`
	Demo  demoCmd  `cmd:"" help:"Run the worked example and print each statement with its result."`
	Bench benchCmd `cmd:"" help:"Measure this build; see docs/benchmarks.md."`

	Compact compactCmd `cmd:"" help:"Fold files of tables that their writers do not compact."`
	Check   checkCmd   `cmd:"" help:"Check the files of a table or a warehouse, offline."`
	Inspect inspectCmd `cmd:"" help:"Print files of a table readably."`
}

// app is what subcommands share.
type app struct {
	ctx    context.Context // ends at SIGINT or SIGTERM
	log    *slog.Logger
	stdin  io.Reader
	stdout io.Writer
	stderr io.Writer
}

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	defer stop()
	os.Exit(run(ctx, os.Args[1:], os.Stdin, os.Stdout, os.Stderr))
}

// run is the program: it returns the exit code.
func run(ctx context.Context, args []string, stdin io.Reader, stdout, stderr io.Writer) int {
	var c cli
	code := -1
	parser, err := kong.New(&c,
		kong.Name("lakesql"),
		kong.Description("A SQL server for streaming lake tables in the Apache Paimon format."),
		kong.UsageOnError(),
		kong.ConfigureHelp(kong.HelpOptions{Compact: true}),
		kong.DefaultEnvars("LAKESQL"),
		kong.Vars{"version": "lakesql " + version},
		kong.Writers(stdout, stderr),
		kong.Exit(func(n int) { code = n }),
	)
	if err != nil {
		fmt.Fprintln(stderr, "lakesql:", err)
		return 2
	}
	k, err := parser.Parse(args)
	if code >= 0 { // --help and --version
		return code
	}
	if err != nil {
		parser.Errorf("%s", err)
		return 2
	}
	a := &app{ctx: ctx, stdin: stdin, stdout: stdout, stderr: stderr,
		log: slog.New(slog.NewTextHandler(stderr, &slog.HandlerOptions{Level: c.LogLevel}))}
	if err := k.Run(a); err != nil {
		if !errors.Is(err, errQuiet) {
			fmt.Fprintln(stderr, "lakesql:", err)
		}
		return 1
	}
	return 0
}

// errQuiet ends a subcommand that has said itself what is wrong.
var errQuiet = errors.New("failed")
