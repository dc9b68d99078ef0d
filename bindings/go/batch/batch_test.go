package batch

import (
	"errors"
	"strings"
	"sync"
	"testing"

	. "github.com/ethereum/c-kzg-4844/v2/types"
)

func blobs(count int) []Blob {
	all := make([]Blob, count)
	for i := range all {
		for j := range all[i] {
			if j%BytesPerFieldElement != 0 {
				all[i][j] = byte(j*j) ^ byte(i)
			}
		}
	}
	return all
}

func as48[T ~[48]byte](items []T) []Bytes48 {
	all := make([]Bytes48, len(items))
	for i, item := range items {
		all[i] = Bytes48(item)
	}
	return all
}

func context(t *testing.T, options Options) *Context {
	t.Helper()
	context, err := New(options)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(context.Close)
	return context
}

func TestThreadsAndTablesChangeNoResult(t *testing.T) {
	one, two := context(t, Options{Threads: 1, Backends: "blst"}), context(t, Options{Threads: 2, TablesMiB: 4})
	if one.Threads() != 1 || two.Threads() != 2 {
		t.Fatal(one.Threads(), two.Threads())
	}
	given := blobs(3)
	var group sync.WaitGroup
	results := make([][]KZGCommitment, 2)
	for i, context := range []*Context{one, two} {
		group.Add(1)
		go func() {
			defer group.Done()
			commitments, errs := context.Commitments(given)
			if errs != nil {
				t.Error(errs)
			}
			proofs, errs, err := context.BlobProofs(given, as48(commitments))
			if errs != nil || err != nil {
				t.Error(errs, err)
			}
			ok, err := context.VerifyBlobs(given, as48(commitments), as48(proofs))
			if !ok || err != nil {
				t.Error(ok, err)
			}
			ok, err = context.VerifyBlobs(given, as48(commitments), as48(append(proofs[1:], proofs[0])))
			if ok || err != nil {
				t.Error(ok, err)
			}
			results[i] = commitments
		}()
	}
	group.Wait()
	for i := range given {
		if results[0][i] != results[1][i] {
			t.Errorf("commitment %d", i)
		}
	}
}

func TestWrongCellsAndBlobsAreNamed(t *testing.T) {
	context := context(t, Options{})
	given := blobs(2)
	commitments, errs := context.Commitments(given)
	if errs != nil {
		t.Fatal(errs)
	}
	proofs, errs, err := context.BlobProofs(given, as48(commitments))
	if errs != nil || err != nil {
		t.Fatal(errs, err)
	}
	if errs, err := context.WrongBlobs(given, as48(commitments), as48(proofs)); errs != nil || err != nil {
		t.Error(errs, err)
	}
	proofs[1] = proofs[0]
	errs, err = context.WrongBlobs(given, as48(commitments), as48(proofs))
	if err != nil || len(errs) != 2 || errs[0] != nil || errs[1].(*Error).Status != "PARCRYPT_ERROR_PROOF" {
		t.Error(errs, err)
	}
	made, errs, err := context.Compute(given[:1], Want{Cells: true, Proofs: true})
	if errs != nil || err != nil {
		t.Fatal(errs, err)
	}
	cells, cellProofs := made[0].Cells, made[0].Proofs
	var of []Bytes48
	var indices []uint64
	for i := range CellsPerExtBlob {
		of, indices = append(of, Bytes48(commitments[0])), append(indices, uint64(i))
	}
	if errs, err := context.WrongCells(of, indices, cells, as48(cellProofs)); errs != nil || err != nil {
		t.Error(errs, err)
	}
	cells[3][31] ^= 1
	cellProofs[9] = KZGProof{}
	errs, err = context.WrongCells(of, indices, cells, as48(cellProofs))
	if err != nil || len(errs) != CellsPerExtBlob {
		t.Fatal(errs, err)
	}
	for i, found := range errs {
		expected := map[int]string{3: "PARCRYPT_ERROR_PROOF", 9: "PARCRYPT_ERROR_POINT"}[i]
		if (found == nil) != (expected == "") || found != nil && found.(*Error).Status != expected {
			t.Error(i, found)
		}
	}
	if _, err := context.WrongCells(of[1:], indices, cells, as48(cellProofs)); err != errLengths {
		t.Error(err)
	}
	if errs, err := context.WrongCells(nil, nil, nil, nil); errs != nil || err != nil {
		t.Error(errs, err)
	}
}

func TestAClosedContextSaysSo(t *testing.T) {
	closed, err := New(Options{Threads: 1})
	if err != nil {
		t.Fatal(err)
	}
	verifier, err := closed.NewCellVerifier(nil)
	if err != nil {
		t.Fatal(err)
	}
	closed.Close()
	closed.Close()
	for name, context := range map[string]*Context{"closed": closed, "never opened": {}} {
		given, points := blobs(1), make([]Bytes48, 1)
		_, commitments := context.Commitments(given)
		_, proofs, _ := context.BlobProofs(given, points)
		_, valid := context.VerifyBlobs(given, points, points)
		_, blobs := context.WrongBlobs(given, points, points)
		_, cells := context.WrongCells(points, []uint64{0}, make([]Cell, 1), points)
		_, _, computed := context.Compute(given, Want{Cells: true})
		_, _, recovered := context.Recover(make([]Samples, 1), Want{Cells: true})
		_, opened := context.NewCellVerifier(points)
		_, verified := verifier.Verify(nil)
		for i, err := range []error{commitments[0], proofs[0], valid, blobs, cells, computed, recovered, opened, verified} {
			if err == nil || !strings.Contains(err.Error(), "closed") {
				t.Errorf("%s, function %d: %v", name, i, err)
			}
		}
		if context.Threads() != 0 {
			t.Errorf("%s: %d threads", name, context.Threads())
		}
	}
	verifier.Close()
	verifier.Close()
}

func TestBadInputsAreErrors(t *testing.T) {
	context := context(t, Options{})
	given := blobs(2)
	given[1][0] = 0xff
	_, errs := context.Commitments(given)
	if errs[0] != nil || !strings.Contains(errs[1].Error(), "field element 0 is not below the modulus") {
		t.Error(errs)
	}
	if _, _, err := context.BlobProofs(given, nil); err != errLengths {
		t.Error(err)
	}
	if _, err := context.VerifyBlobs(given, make([]Bytes48, 2), nil); err != errLengths {
		t.Error(err)
	}
	if _, errs := context.Commitments(nil); errs != nil {
		t.Error(errs)
	}
	for _, options := range []Options{{Threads: -1}, {Threads: 1 << 20}, {TablesMiB: -1}, {Setup: []byte("x")}, {Backends: "sse9"}} {
		_, err := New(options)
		if err == nil {
			t.Errorf("%v is no options", options)
		}
	}
	var status *Error
	if _, err := New(Options{Setup: []byte("4096 65 x")}); !errors.As(err, &status) || status.Status != "PARCRYPT_ERROR_SETUP" {
		t.Error(err)
	}
}
