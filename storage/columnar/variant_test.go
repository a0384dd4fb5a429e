package columnar_test

import (
	"strings"
	"testing"

	"github.com/lakesql/lakesql/storage/columnar"
)

func TestVariantRoundTrip(t *testing.T) {
	long := strings.Repeat("é", 100)
	for _, text := range []string{
		`null`, `true`, `false`, `0`, `-128`, `127`, `128`, `-32769`, `2147483648`, `-9223372036854775808`,
		`1.5`, `-0.001`, `123456789012345678901234567890.5`, `1e+300`, `""`, `"a\nb"`, `"` + long + `"`,
		`[]`, `[1,"x",null,[true]]`, `{}`, `{"a":{"b":[1,2,{"a":3}]},"z":"` + long + `"}`,
	} {
		v, m, err := columnar.VariantFromJSON([]byte(text))
		if err != nil {
			t.Fatalf("%s: %v", text, err)
		}
		got, err := columnar.AppendVariantJSON(nil, v, m)
		if err != nil || string(got) != text {
			t.Errorf("%s came back as %s, %v", text, got, err)
		}
	}
}

func FuzzVariantDecode(f *testing.F) {
	for _, text := range []string{`{"a":[1,2.5,"x",null]}`, `"t"`, `[[],{}]`} {
		v, m, err := columnar.VariantFromJSON([]byte(text))
		if err != nil {
			f.Fatal(err)
		}
		f.Add(v, m)
	}
	f.Fuzz(func(_ *testing.T, v, m []byte) {
		_, _ = columnar.AppendVariantJSON(nil, v, m) // must not panic
	})
}
