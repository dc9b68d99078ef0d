// Package parlab makes a candidate of the lab of three functions, by the protocol of Parcrypt's docs/reference/protocol.md.
package parlab

import (
	"bufio"
	"bytes"
	"crypto/sha256"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"strings"
	"syscall"
	"time"
)

const (
	protocol = 2
	maxLine  = 1 << 20
)

// Work is the work to prepare.
type Work struct {
	// Workload is its name.
	Workload string
	// Params are its parameters, each a uint64 or a string.
	Params map[string]any
	// Threads is the number of threads to work with.
	Threads int
	// Input is the path of the input file; empty where there is none.
	Input string
}

// Unsupported is the reason why the work cannot be done here: an error of prepare that the lab shows as a skipped entry.
type Unsupported string

func (why Unsupported) Error() string { return string(why) }

// Run answers the requests on standard input until `quit` or the end.
//
// prepare reads the input and does all that is not measured; work does the work once, and only this is timed; output returns
// the bytes of the result, which are hashed. A request that cannot be answered, or an error that is not Unsupported, ends the
// program with exit code 2 and the reason on standard error. What the candidate prints, and code in other languages or
// programs with its standard output, goes to standard error too. It needs Linux, as the lab does.
func Run[State, Result any](name, workload string, prepare func(Work) (State, error), work func(State) Result,
	output func(Result) []byte) {
	c := candidate[State, Result]{name: name, workload: workload, prepare: prepare, work: work, output: output}
	responses, err := takeOutput()
	if err == nil {
		err = c.serve(os.Stdin, responses)
	}
	if err != nil {
		fmt.Fprintln(os.Stderr, "error:", err)
		os.Exit(2)
	}
}

// takeOutput returns the file of standard output, which is that of standard error from now on.
func takeOutput() (*os.File, error) {
	copied, err := syscall.Dup(syscall.Stdout)
	if err != nil {
		return nil, fmt.Errorf("standard output cannot be used: %w", err)
	}
	syscall.CloseOnExec(copied)
	return os.NewFile(uintptr(copied), "responses"), syscall.Dup3(syscall.Stderr, syscall.Stdout, 0)
}

type candidate[State, Result any] struct {
	name, workload    string
	prepare           func(Work) (State, error)
	work              func(State) Result
	output            func(Result) []byte
	state             State
	result            Result
	prepared, sampled bool
}

// request is a line of standard input.
type request struct {
	ID       *uint64  `json:"id"`
	Prepare  *prepare `json:"prepare"`
	Sample   *sample  `json:"sample"`
	Digest   *empty   `json:"digest"`
	Quit     *empty   `json:"quit"`
	Check    *prepare `json:"check"`
	Describe *prepare `json:"describe"`
}

type prepare struct {
	Protocol uint64         `json:"protocol"`
	Workload *string        `json:"workload"`
	Params   map[string]any `json:"params"`
	Threads  uint32         `json:"threads"`
	Input    string         `json:"input"`
}

type sample struct {
	Iterations uint64 `json:"iterations"`
}

type empty struct{}

// response is a line of standard output.
type response struct {
	ID          uint64            `json:"id"`
	Ready       map[string]string `json:"ready,omitempty"`
	Unsupported *Unsupported      `json:"unsupported,omitempty"`
	ElapsedNs   int64             `json:"elapsed_ns,omitempty"`
	Counts      map[string]uint64 `json:"counts,omitempty"`
	Digest      string            `json:"digest,omitempty"`
}

func (c *candidate[State, Result]) serve(input io.Reader, responses io.Writer) error {
	lines := bufio.NewScanner(input)
	lines.Buffer(nil, maxLine)
	number := 1
	for ; lines.Scan(); number++ {
		r, err := parse(lines.Bytes())
		if err != nil {
			return fmt.Errorf("line %d of standard input: `%.200s` is not a request: %w", number, lines.Bytes(), err)
		}
		if r.Quit != nil {
			return nil
		}
		answer, err := c.answer(r)
		if err != nil {
			return err
		}
		answer.ID = *r.ID
		line, err := json.Marshal(answer)
		if err != nil {
			return err
		}
		if _, err := responses.Write(append(line, '\n')); err != nil {
			return fmt.Errorf("standard output cannot be written: %w", err)
		}
	}
	if err := lines.Err(); err != nil {
		return fmt.Errorf("line %d of standard input cannot be read, or has over %d bytes: %w", number, maxLine, err)
	}
	return nil
}

func (c *candidate[State, Result]) answer(r request) (answer response, err error) {
	switch {
	case r.Check != nil || r.Describe != nil:
		why := Unsupported("this candidate answers no `check` and no `describe`")
		answer.Unsupported = &why
	case r.Prepare != nil && c.prepared:
		return answer, errors.New("`prepare` came a second time; it comes once")
	case r.Prepare != nil && *r.Prepare.Workload != c.workload:
		return answer, fmt.Errorf("unknown workload `%s`: it can be %s", *r.Prepare.Workload, c.workload)
	case r.Prepare != nil:
		w := Work{c.workload, r.Prepare.Params, int(r.Prepare.Threads), r.Prepare.Input}
		var why Unsupported
		if c.state, err = c.prepare(w); errors.As(err, &why) {
			answer.Unsupported, err = &why, nil
		} else {
			c.prepared, answer.Ready = true, map[string]string{"name": c.name}
		}
	case !c.prepared:
		err = errors.New("`sample` or `digest` came before a successful `prepare`")
	case r.Sample != nil:
		begun := time.Now() // with the monotonic clock
		for i := uint64(0); i < r.Sample.Iterations; i++ {
			c.result = c.work(c.state)
		}
		answer.ElapsedNs = max(int64(time.Since(begun)), 1)
		c.sampled, answer.Counts = true, peakMemory()
	case !c.sampled:
		err = errors.New("`digest` came before the first `sample`")
	default:
		answer.Digest = fmt.Sprintf("sha256:%x", sha256.Sum256(c.output(c.result)))
	}
	return answer, err
}

// parse returns a request in which exactly one of the kinds is set.
func parse(line []byte) (request, error) {
	var r request
	decoder := json.NewDecoder(bytes.NewReader(line))
	decoder.DisallowUnknownFields()
	decoder.UseNumber()
	if err := decoder.Decode(&r); err != nil {
		return r, err
	}
	if _, err := decoder.Token(); err != io.EOF {
		return r, errors.New("there is more after its end")
	}
	kinds := 0
	for _, there := range []bool{r.Prepare != nil, r.Sample != nil, r.Digest != nil, r.Quit != nil,
		r.Check != nil, r.Describe != nil} {
		if there {
			kinds++
		}
	}
	for _, p := range []*prepare{r.Prepare, r.Check, r.Describe} {
		if p != nil && p.Protocol != protocol {
			return r, fmt.Errorf("it is of protocol %d, and this program speaks protocol %d", p.Protocol, protocol)
		}
	}
	switch {
	case r.ID == nil || kinds != 1:
		return r, errors.New("it has `id` and one of prepare, sample, digest, quit, check and describe")
	case r.Sample != nil && r.Sample.Iterations == 0:
		return r, errors.New("sample.iterations: a whole number of at least 1 is needed")
	case r.Prepare == nil:
		return r, nil
	case r.Prepare.Workload == nil || r.Prepare.Threads == 0:
		return r, errors.New("prepare: it has protocol, workload, params and threads, of which there is at least 1")
	}
	for name, value := range r.Prepare.Params {
		if number, ok := value.(json.Number); ok {
			var whole uint64
			if json.Unmarshal([]byte(number), &whole) == nil {
				r.Prepare.Params[name] = whole
				continue
			}
		} else if _, ok := value.(string); ok {
			continue
		}
		return r, fmt.Errorf("prepare.params.%s: a parameter is a whole number of at least 0 or a text", name)
	}
	return r, nil
}

// peakMemory returns the maximum resident memory in bytes as a count, if the system tells it.
func peakMemory() map[string]uint64 {
	status, _ := os.ReadFile("/proc/self/status")
	for _, line := range strings.Split(string(status), "\n") {
		var kib uint64
		if n, _ := fmt.Sscanf(line, "VmHWM: %d kB", &kib); n == 1 {
			return map[string]uint64{"peak-memory-bytes": 1024 * kib}
		}
	}
	return nil
}
