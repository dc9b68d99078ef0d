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
	given, both := blobs(2), Want{Cells: true, Proofs: true}
	all, errs, err := context.Compute(given, both)
	if errs != nil || err != nil {
		t.Fatal(errs, err)
	}
	var samples [2]Samples
	for i := uint64(0); i < 64; i++ {
		for blob, column := range []uint64{i, 2*i + 1} {
			sample := &samples[blob]
			sample.Indices, sample.Cells = append(sample.Indices, column), append(sample.Cells, all[blob].Cells[column])
		}
	}
	columns := []uint64{0, 63, 64, 127}
	for _, want := range []Want{both, {Cells: true}, {Proofs: true}, {Cells: true, Columns: columns}, {true, true, columns}, {true, true, []uint64{}}} {
		made, errs, err := context.Compute(given, want)
		recovered, also, failed := context.Recover(samples[:], want)
		if errs != nil || err != nil || also != nil || failed != nil {
			t.Fatal(errs, err, also, failed)
		}
		for i, expected := range all {
			if want.Columns != nil {
				expected = CellsAndProofs{pick(expected.Cells, want.Columns), pick(expected.Proofs, want.Columns)}
			}
			if !want.Cells {
				expected.Cells = nil
			}
			if !want.Proofs {
				expected.Proofs = nil
			}
			for _, found := range []CellsAndProofs{made[i], recovered[i]} {
				if !slices.Equal(found.Cells, expected.Cells) || !slices.Equal(found.Proofs, expected.Proofs) {
					t.Error(i, want)
				}
			}
		}
	}
	var status *Error
	for _, bad := range [][]uint64{{128}, {5, 5}, {7, 6}} {
		if _, _, err := context.Compute(given, Want{Cells: true, Columns: bad}); !errors.As(err, &status) || status.Status != "PARCRYPT_ERROR_INDEX" {
			t.Error(bad, err)
		}
	}
	samples[0].Indices[3] = 200
	_, errs, err = context.Recover(samples[:], both)
	if err != nil || len(errs) != 2 || errs[1] != nil || errs[0].(*Error).Status != "PARCRYPT_ERROR_INDEX" {
		t.Error(errs, err)
	}
	samples[1].Indices = samples[1].Indices[1:]
	if _, _, err := context.Recover(samples[1:], both); err != errLengths {
		t.Error(err)
	}
	given[1][0] = 0xff
	some, errs, err := context.Compute(given, Want{Cells: true, Columns: []uint64{9}})
	if err != nil || errs[0] != nil || errs[1] == nil || some[0].Cells[0] != all[0].Cells[9] {
		t.Error(errs, err)
	}
}
