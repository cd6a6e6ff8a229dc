package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"

	"github.com/amblecrawl/amble"
	"github.com/amblecrawl/amble/analyze/a11y"
	"github.com/amblecrawl/amble/analyze/links"
	"github.com/amblecrawl/amble/analyze/report"
	"github.com/amblecrawl/amble/analyze/seo"
	"github.com/amblecrawl/amble/analyze/tech"
	"github.com/amblecrawl/amble/examples/internal/cli"
)

// audits are the Analyzers of scan and audit.
func (o options) audits() []amble.Analyzer {
	return []amble.Analyzer{
		&a11y.Analyzer{Rendered: !o.html, Language: o.lang},
		seo.New(o.who.Agent),
		tech.New(),
		&links.Analyzer{Language: o.lang},
	}
}

// outputs are the files that a run is written to.
type outputs struct {
	lang      string
	files     map[string]*os.File
	sinks     []report.Sink
	people    *report.Collector
	run       *report.JSONL // what -save keeps, or what -before is compared with
	runFile   *os.File
	throwaway bool // the run is not to be kept
}

// open makes the files of -report and -save, so that a name that cannot be written is known before a site is asked.
func (o options) open(options report.Options) (_ *outputs, err error) {
	w := &outputs{lang: o.lang, files: make(map[string]*os.File), people: report.NewCollector(options)}
	defer func() {
		if err != nil {
			w.close()
		}
	}()
	w.sinks = append(w.sinks, w.people)
	for _, name := range strings.Split(o.report, ",") {
		if name = strings.TrimSpace(name); name == "" {
			continue
		}
		switch filepath.Ext(name) {
		case ".html", ".csv", ".sarif", ".xml":
		default:
			return w, fmt.Errorf("sitenorma: -report %s: the ending has to be .html, .csv, .sarif or .xml: %w", name, amble.ErrConfig)
		}
		f, err := os.Create(name)
		if err != nil {
			return w, err
		}
		w.files[name] = f
		switch filepath.Ext(name) {
		case ".csv":
			w.sinks = append(w.sinks, report.NewCSV(f, options, o.lang))
		case ".sarif":
			w.sinks = append(w.sinks, report.NewSARIF(f, options, o.lang))
		}
	}
	switch {
	case o.save != "":
		w.runFile, err = os.Create(o.save)
	case o.before != "":
		w.throwaway = true
		w.runFile, err = os.CreateTemp("", "sitenorma-*.jsonl")
	default:
		return w, nil
	}
	if err != nil {
		return w, err
	}
	w.run = report.NewJSONL(w.runFile, options)
	w.sinks = append(w.sinks, w.run)
	return w, nil
}

// finish writes what is made at the end, compares with an earlier run, and closes the files.
func (w *outputs) finish(before string, out io.Writer, userAgents ...string) error {
	defer w.close()
	if before != "" {
		if _, err := w.runFile.Seek(0, io.SeekStart); err != nil {
			return err
		}
		after, err := report.ReadRun(w.runFile)
		if err != nil {
			return err
		}
		if err := w.compare(before, after, out); err != nil {
			return err
		}
	}
	return w.write(out, userAgents...)
}

// compare puts what changed since an earlier run into the report, and prints it.
func (w *outputs) compare(before string, after *report.Run, out io.Writer) error {
	old, err := readRun(before)
	if err != nil {
		return err
	}
	w.people.Since(old, after)
	fmt.Fprintf(out, "\nSince %s\n", before)
	return report.Compare(old, after).WriteText(out, w.lang)
}

func (w *outputs) write(out io.Writer, userAgents ...string) error {
	for name, f := range w.files {
		var err error
		switch filepath.Ext(name) {
		case ".html":
			err = w.people.WriteHTML(f, w.lang, userAgents...)
		case ".xml":
			err = w.people.WriteJUnit(f, w.lang, amble.Warning)
		}
		if err := errors.Join(err, f.Close()); err != nil {
			return err
		}
		delete(w.files, name)
		fmt.Fprintf(out, "\nThe report is in %s\n", name)
	}
	return nil
}

func (w *outputs) close() {
	for _, f := range w.files {
		_ = f.Close()
	}
	if w.runFile != nil {
		_ = w.runFile.Close()
		if w.throwaway {
			_ = os.Remove(w.runFile.Name())
		}
	}
}

func readRun(file string) (*report.Run, error) {
	f, err := os.Open(file)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	run, err := report.ReadRun(f)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", file, err)
	}
	return run, nil
}

// reportRun makes reports of a run that was saved.
func reportRun(_ context.Context, o options, out, _ io.Writer) (int, error) {
	if o.report == "" && o.before == "" {
		return 0, fmt.Errorf("sitenorma: report needs -report, which says what to write, or -before: %w", amble.ErrConfig)
	}
	run, err := readRun(o.who.Args[0])
	if err != nil {
		return 0, err
	}
	options := run.Options()
	known := o.audits()
	options.Texts, options.Messages = report.TextsOf(known...), report.MessagesOf(known...)
	before := o.before
	o.before = "" // the run is on disk already
	w, err := o.open(options)
	if err != nil {
		return 0, err
	}
	defer w.close()
	if err := run.Replay(w.sinks...); err != nil {
		return 0, err
	}
	if before != "" {
		if err := w.compare(before, run, out); err != nil {
			return 0, err
		}
	}
	return cli.ExitOK, w.write(out)
}
