package main

import (
	"flag"
	"fmt"
	"os"

	"github.com/lakesql/lakesql/storage/options"
)

func main() {
	out := flag.String("o", "", "file to write; standard output when empty")
	flag.Parse()
	page := options.Page()
	if *out == "" {
		fmt.Print(page)
		return
	}
	if err := os.WriteFile(*out, []byte(page), 0o644); err != nil {
		fmt.Fprintln(os.Stderr, "write options page:", err)
		os.Exit(1)
	}
}
