# Everything runs without cgo; only the race run needs it.
export CGO_ENABLED = 0
GO ?= go
BIN = $(shell $(GO) env GOPATH)/bin

.PHONY: build test check lint generate race fuzz stress sqllogic metamorphic interop turns damage bench

build:            ## the binary, ./lakesql
	$(GO) build -trimpath -o lakesql ./cmd/lakesql

test:             ## what the README names
	$(GO) test ./...

check: lint generate ## what has to pass before a change is sent
	$(GO) test ./...
	git diff --exit-code -- go.mod go.sum docs

lint:             ## format, vet, static checks, the import picture
	test -z "$$(gofmt -l $$(git ls-files '*.go'))"
	$(GO) vet ./...
	$(GO) run github.com/golangci/golangci-lint/v2/cmd/golangci-lint@v2.15.0 run
	$(GO) test ./internal/lint

generate:         ## files made from code
	$(GO) generate ./...

race:
	CGO_ENABLED=1 $(GO) test -race ./storage/... ./sqlengine/... ./catalog/... ./systables/...

fuzz:             ## every fuzz target, FUZZTIME each
	@for p in $$($(GO) list ./...); do for f in $$($(GO) test -list '^Fuzz' $$p | grep '^Fuzz'); do \
		$(GO) test -run '^$$' -fuzz "^$$f\$$" -fuzztime $${FUZZTIME:-30s} $$p || exit 1; done; done

stress:           ## make stress TEST=TestName PKG=./storage/...
	$(GO) test -run '$(TEST)' -count 50 $(PKG)

sqllogic:         ## make sqllogic FILE=ddl/create.test
	$(GO) test ./tests/sqllogic -run 'TestScripts/$(FILE)'

metamorphic:      ## make metamorphic SEED=1
	$(GO) test ./tests/metamorphic -seed $${SEED:-0}

interop:          ## against the reference implementation; installs what it needs
	tests/interop/run

turns:            ## engines take turns on one table, for long
	TURNS=$${TURNS:-2000} tests/interop/run turns

damage:           ## many damaged files
	DAMAGE=$${DAMAGE:-50000} $(GO) test ./tests/damage -timeout 60m

bench:
	$(GO) run ./cmd/lakesql bench
