package options

import (
	"os"
	"testing"
)

// docs/options.md is what the declarations say; go generate writes it anew.
func TestPageIsCurrent(t *testing.T) {
	got, err := os.ReadFile("../../docs/options.md")
	if err != nil {
		t.Fatal(err)
	}
	if string(got) != Page() {
		t.Error("docs/options.md is out of date: run go generate ./storage/options")
	}
}
