package main

import (
	"fmt"
	"net/http"
	"time"

	"github.com/prometheus/client_golang/prometheus"
	"github.com/prometheus/client_golang/prometheus/collectors"
	"github.com/prometheus/client_golang/prometheus/promhttp"

	"github.com/lakesql/lakesql/sqlengine"
)

// newHTTPServer answers /metrics, /healthz and /readyz.
func newHTTPServer(e *sqlengine.Engine) *http.Server {
	mux := http.NewServeMux()
	mux.Handle("GET /metrics", promhttp.HandlerFor(registry(e), promhttp.HandlerOpts{}))
	fine := func(w http.ResponseWriter, _ *http.Request) { fmt.Fprintln(w, "ok") }
	mux.HandleFunc("GET /healthz", fine)
	mux.HandleFunc("GET /readyz", fine)
	return &http.Server{Handler: mux, ReadHeaderTimeout: 10 * time.Second}
}

// registry is the engine's counters under the names that monitoring sees.
func registry(e *sqlengine.Engine) *prometheus.Registry {
	r := prometheus.NewRegistry()
	m := e.Metrics()
	gauge := func(name, help string, f func() int64) {
		r.MustRegister(prometheus.NewGaugeFunc(prometheus.GaugeOpts{Namespace: "lakesql", Name: name, Help: help}, func() float64 { return float64(f()) }))
	}
	counter := func(name, help string, f func() int64) {
		r.MustRegister(prometheus.NewCounterFunc(prometheus.CounterOpts{Namespace: "lakesql", Name: name, Help: help}, func() float64 { return float64(f()) }))
	}
	gauge("connections", "Client connections that are open.", m.Connections.Load)
	gauge("statements_running", "Statements that are being executed.", m.Running.Load)
	counter("statements_total", "Statements that were started.", m.Statements.Load)
	counter("statement_errors_total", "Statements that failed.", m.Errors.Load)
	counter("statement_panics_total", "Statements that failed by a fault of the server.", m.Panics.Load)
	counter("rows_sent_total", "Rows that were sent to clients.", m.Rows.Load)
	counter("row_bytes_sent_total", "Bytes of rows that were sent in the text protocol.", m.Bytes.Load)
	r.MustRegister(collectors.NewGoCollector(), collectors.NewProcessCollector(collectors.ProcessCollectorOpts{}))
	return r
}
