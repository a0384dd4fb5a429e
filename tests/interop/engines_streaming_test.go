package interop

import (
	"fmt"
	"strconv"
	"sync"
	"testing"
)

// testStreamingWriter has a streaming writer of Java and lakesql commit to one table at
// the same time. Nothing that either reported as written may be lost.
func testStreamingWriter(t *testing.T, s *suite) {
	for name, options := range map[string]map[string]string{
		"pk":     {"bucket": "2"},
		"append": {"bucket": "-1"},
	} {
		t.Run(name, func(t *testing.T) {
			sh := shape{name: "streaming." + name, feature: "a streaming writer beside", fields: columns("k INT NOT NULL", "v STRING"), options: options}
			if name == "pk" {
				sh.primary = []string{"k"}
			}
			x := s.create(t, sh)
			const steps = 15
			rows := func(from int, who string) []string {
				var out []string
				for i := range 3 {
					out = append(out, fmt.Sprintf(`[%d,"%s"]`, from+i, who))
				}
				return out
			}
			x.write(`[0,"first"]`)
			want := []string{`[0,"first"]`}
			var wg sync.WaitGroup
			for i := range steps {
				want = append(want, rows(1000+i*3, java)...)
				want = append(want, rows(2000+i*3, lakesql)...)
			}
			wg.Go(func() {
				for i := range steps {
					r := rows(1000+i*3, java)
					if _, err := x.try(x.java, "write", "--rows", x.file(t, r), "--streaming", "--commit-user", "job", "--commit-identifier", strconv.Itoa(i+1)); err != nil {
						t.Errorf("java, commit %d: %v", i+1, err)
					}
				}
				x.report.ok(x.feature, java, "writes")
			})
			wg.Go(func() {
				for i := range steps {
					x.write(rows(2000+i*3, lakesql)...)
				}
			})
			wg.Wait()
			x.write(`[1,"last"]`)
			want = append(want, `[1,"last"]`)
			x.all(want)
			x.compact()
			x.all(want)
			x.clean()
		})
	}
}
