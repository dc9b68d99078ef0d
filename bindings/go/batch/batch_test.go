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
			commitments, errs, err := context.Commitments(given)
			if errs != nil || err != nil {
				t.Error(errs, err)
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
	commitments, errs, err := context.Commitments(given)
	if errs != nil || err != nil {
		t.Fatal(errs, err)
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
	cells, cellProofs, errs, err := context.CellsAndProofs(given[:1])
	if errs != nil || err != nil {
		t.Fatal(errs, err)
	}
	var of []Bytes48
	var indices []uint64
	for i := range CellsPerExtBlob {
		of, indices = append(of, Bytes48(commitments[0])), append(indices, uint64(i))
	}
	if errs, err := context.WrongCells(of, indices, cells[0][:], as48(cellProofs[0][:])); errs != nil || err != nil {
		t.Error(errs, err)
	}
	cells[0][3][31] ^= 1
	cellProofs[0][9] = KZGProof{}
	errs, err = context.WrongCells(of, indices, cells[0][:], as48(cellProofs[0][:]))
	if err != nil || len(errs) != CellsPerExtBlob {
		t.Fatal(errs, err)
	}
	for i, found := range errs {
		expected := map[int]string{3: "PARCRYPT_ERROR_PROOF", 9: "PARCRYPT_ERROR_POINT"}[i]
		if (found == nil) != (expected == "") || found != nil && found.(*Error).Status != expected {
			t.Error(i, found)
		}
	}
	if _, err := context.WrongCells(of[1:], indices, cells[0][:], as48(cellProofs[0][:])); err != errLengths {
		t.Error(err)
	}
	if errs, err := context.WrongCells(nil, nil, nil, nil); errs != nil || err != nil {
		t.Error(errs, err)
	}
}

func TestWrongValuesAreNamed(t *testing.T) {
	context := context(t, Options{})
	// The polynomial 0: its commitment and its proofs are infinity.
	commitments, points, values := make([]Bytes48, 6), make([]Bytes32, 6), make([]Bytes32, 6)
	for i := range commitments {
		commitments[i][0], points[i][31] = 0xc0, byte(i)
	}
	proofs := append([]Bytes48{}, commitments...)
	errs, err := context.WrongProofs(commitments, points, values, proofs)
	if ok, failed := context.VerifyProofs(commitments, points, values, proofs); !ok || failed != nil || errs != nil || err != nil {
		t.Error(ok, failed, errs, err)
	}
	values[4][31] = 1
	if ok, err := context.VerifyProofs(commitments, points, values, proofs); ok || err != nil {
		t.Error(ok, err)
	}
	points[2][0], proofs[5] = 0xff, Bytes48{}
	errs, err = context.WrongProofs(commitments, points, values, proofs)
	if err != nil || len(errs) != 6 {
		t.Fatal(errs, err)
	}
	for i, found := range errs {
		expected := map[int]string{2: "PARCRYPT_ERROR_FIELD_ELEMENT", 4: "PARCRYPT_ERROR_PROOF", 5: "PARCRYPT_ERROR_POINT"}[i]
		if (found == nil) != (expected == "") || found != nil && found.(*Error).Status != expected {
			t.Error(i, found)
		}
	}
	if _, err := context.VerifyProofs(commitments, points[1:], values, proofs); err != errLengths {
		t.Error(err)
	}
	if _, err := context.WrongProofs(commitments, points, values, nil); err != errLengths {
		t.Error(err)
	}
}

func TestLostCellsAreRecovered(t *testing.T) {
	context := context(t, Options{})
	cells, proofs, errs, err := context.CellsAndProofs(blobs(2))
	if errs != nil || err != nil {
		t.Fatal(errs, err)
	}
	samples := make([]Samples, 2)
	for i := range samples {
		for j := 0; j < CellsPerExtBlob; j += 2 {
			samples[i].Indices = append(samples[i].Indices, uint64(j))
			samples[i].Cells = append(samples[i].Cells, cells[i][j])
		}
	}
	recovered, again, errs, err := context.Recover(samples)
	if errs != nil || err != nil {
		t.Fatal(errs, err)
	}
	for i := range samples {
		if recovered[i] != cells[i] || again[i] != proofs[i] {
			t.Errorf("blob %d", i)
		}
	}
	samples[0].Indices[3] = 200
	_, _, errs, err = context.Recover(samples)
	if err != nil || len(errs) != 2 || errs[1] != nil || errs[0].(*Error).Status != "PARCRYPT_ERROR_INDEX" {
		t.Errorf("%v %v", errs, err)
	}
}

func TestBadInputsAreErrors(t *testing.T) {
	context := context(t, Options{})
	given := blobs(2)
	given[1][0] = 0xff
	_, errs, err := context.Commitments(given)
	if err != nil || errs[0] != nil || !strings.Contains(errs[1].Error(), "blob 1: field element 0 is not below the modulus") {
		t.Errorf("%v %v", errs, err)
	}
	if _, _, err := context.BlobProofs(given, nil); err != errLengths {
		t.Error(err)
	}
	if _, err := context.VerifyBlobs(given, make([]Bytes48, 2), nil); err != errLengths {
		t.Error(err)
	}
	if _, errs, err := context.Commitments(nil); errs != nil || err != nil {
		t.Error(errs, err)
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
