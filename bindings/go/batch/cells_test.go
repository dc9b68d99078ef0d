package batch

import (
	"errors"
	"slices"
	"testing"
)

func pick[T any](all []T, indices []uint64) (some []T) {
	for _, index := range indices {
		some = append(some, all[index])
	}
	return
}

func TestSomeCellsAreThoseOfAll(t *testing.T) {
	context := context(t, Options{Threads: 2})
	given := blobs(2)
	cells, proofs, errs, err := context.CellsAndProofs(given)
	if errs != nil || err != nil {
		t.Fatal(errs, err)
	}
	wanted := []uint64{0, 63, 64, 127}
	some, errs, err := context.CellsSubset(given, wanted)
	if errs != nil || err != nil {
		t.Fatal(errs, err)
	}
	first, second := Samples{}, Samples{}
	for i := uint64(0); i < 64; i++ {
		first.Indices, first.Cells = append(first.Indices, i), append(first.Cells, cells[0][i])
		second.Indices, second.Cells = append(second.Indices, 2*i+1), append(second.Cells, cells[1][2*i+1])
	}
	recovered, errs, err := context.RecoverSubset([]Samples{first, second}, wanted)
	if errs != nil || err != nil {
		t.Fatal(errs, err)
	}
	for i := range given {
		if expected := pick(cells[i][:], wanted); !slices.Equal(some[i], expected) || !slices.Equal(recovered[i], expected) {
			t.Errorf("blob %d", i)
		}
	}
	both, itsProofs, err := context.CellsAndProofsSubset(&given[0], wanted)
	if err != nil || !slices.Equal(both, some[0]) || !slices.Equal(itsProofs, pick(proofs[0][:], wanted)) {
		t.Error(err)
	}

	alone, err := context.CellProofsSubset(&given[0], wanted)
	if err != nil || !slices.Equal(alone, itsProofs) {
		t.Error(err)
	}

	var status *Error
	if _, err := context.CellProofsSubset(&given[0], []uint64{5, 5}); !errors.As(err, &status) || status.Status != "PARCRYPT_ERROR_INDEX" {
		t.Error(err)
	}
	for _, bad := range [][]uint64{{128}, {5, 5}, {7, 6}} {
		if _, _, err := context.CellsSubset(given, bad); !errors.As(err, &status) || status.Status != "PARCRYPT_ERROR_INDEX" {
			t.Error(bad, err)
		}
	}
	second.Indices = second.Indices[1:]
	if _, _, err := context.RecoverSubset([]Samples{second}, wanted); err != errLengths {
		t.Error(err)
	}
	given[1][0] = 0xff
	some, errs, err = context.CellsSubset(given, []uint64{9})
	if err != nil || errs[0] != nil || errs[1] == nil || some[0][0] != cells[0][9] {
		t.Error(errs, err)
	}
}
