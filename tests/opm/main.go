// Program opm answers what the reference says: of catalog trees as `opm validate` does, and of single texts as its
// loader reads them. One question a line on the standard input, one answer a line on the standard output, both JSON.
//
// When the reference itself crashes on a question, so may this program: who asks starts it anew.
package main

import (
	"bufio"
	"encoding/json"
	"fmt"
	"os"
	"runtime/debug"
)

// A question asks one of three things.
//
//   - "validate" (or nothing): does `opm validate` pass this tree? Answered by Verdict.
//   - "load": which blobs does the loader take from a file of these bytes? Answered by Loaded.
//   - "yaml": which JSON does one YAML document of these bytes become? Answered by Loaded, with at most one blob.
type question struct {
	Ask string `json:"ask"`
	// The text for "load" and "yaml", in base64.
	Bytes []byte `json:"bytes"`
	tree
	// How often to validate, to see messages that come by chance; 0 is once.
	Repeat int `json:"repeat"`
}

// A Verdict is what `opm validate` says of a tree.
type Verdict struct {
	OK bool `json:"ok"`
	// The bare error, without the prefix of the log line. `{root}` stands for the folder.
	Message string `json:"message"`
	// Other messages that further runs gave.
	Also []string `json:"also,omitempty"`
	// The reference panicked; Message is what it panicked with.
	Panic bool `json:"panic,omitempty"`
}

// Loaded is what the loader makes of a text: the blobs before the first error, and that error.
type Loaded struct {
	OK      bool   `json:"ok"`
	Message string `json:"message"`
	// Canonical JSON: sorted keys, no blanks, numbers as float64, no escapes for HTML.
	Blobs []string `json:"blobs"`
	Panic bool     `json:"panic,omitempty"`
}

func main() {
	debug.SetGCPercent(400)
	in := bufio.NewReaderSize(os.Stdin, 1<<20)
	out := bufio.NewWriter(os.Stdout)
	encoder := json.NewEncoder(out)
	encoder.SetEscapeHTML(false)
	decoder := json.NewDecoder(in)
	for decoder.More() {
		var q question
		if err := decoder.Decode(&q); err != nil {
			fail(err)
		}
		var answer any
		switch q.Ask {
		case "", "validate":
			answer = validate(q.tree, max(q.Repeat, 1))
		case "load":
			answer = guarded(func() Loaded { return load(q.Bytes) })
		case "yaml":
			answer = guarded(func() Loaded { return document(q.Bytes) })
		default:
			fail(fmt.Errorf("no such question: %q", q.Ask))
		}
		if err := encoder.Encode(answer); err != nil {
			fail(err)
		}
		if err := out.Flush(); err != nil {
			fail(err)
		}
	}
}

func guarded(read func() Loaded) (answer Loaded) {
	defer func() {
		if cause := recover(); cause != nil {
			answer = Loaded{Message: fmt.Sprint(cause), Panic: true}
		}
	}()
	return read()
}

func fail(err error) {
	fmt.Fprintln(os.Stderr, "opm:", err)
	os.Exit(2)
}
