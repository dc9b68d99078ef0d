package batch

import (
	"errors"
	"slices"
	"sync"
	"testing"
	"time"

	. "github.com/ethereum/c-kzg-4844/v2/types"
)

// claims returns the commitments to some blobs and their cells in these columns.
func claims(t *testing.T, context *Context, count int, columns ...uint64) ([]Bytes48, []CellClaim) {
	t.Helper()
	given := blobs(count)
	commitments, errs, err := context.Commitments(given)
	cells, proofs, more, err2 := context.CellsAndProofs(given)
	if err = errors.Join(append(append(errs, more...), err, err2)...); err != nil {
		t.Fatal(err)
	}
	var all []CellClaim
	for i := range given {
		for _, column := range columns {
			name := CellName{uint64(i), column}
			all = append(all, CellClaim{name, &cells[i][column], Bytes48(proofs[i][column])})
		}
	}
	return as48(commitments), all
}

func TestCellsAsTheyCome(t *testing.T) {
	context := context(t, Options{Threads: 2})
	commitments, all := claims(t, context, 3, 5, 90)
	v, err := context.NewCellVerifier(commitments)
	if err != nil {
		t.Fatal(err)
	}
	if verdict, err := v.Verify(); err != nil || len(verdict.Verified)+len(verdict.Wrong) != 0 {
		t.Error("nothing is pending", verdict, err)
	}
	// The last cell has the proof of another one, and comes before the others.
	last := len(all) - 1
	wrong := all[last]
	wrong.Proof = all[0].Proof
	if err := v.Add([]CellClaim{wrong}); err != nil {
		t.Fatal(err)
	}
	var group sync.WaitGroup
	for _, claim := range append(slices.Clone(all[:last]), all[:last]...) {
		group.Add(1)
		go func() {
			defer group.Done()
			if err := v.Add([]CellClaim{claim}); err != nil {
				t.Error(err)
			}
		}()
	}
	group.Wait()
	if v.Pending() != len(all) || v.Memory() < len(all)*BytesPerCell {
		t.Error(v.Pending(), v.Memory())
	}
	verdict, err := v.VerifyNext(1)
	if err != nil || len(verdict.Verified) != 0 || len(verdict.Wrong) != 1 ||
		verdict.Wrong[0] != (WrongCell{wrong.CellName, ""}) {
		t.Error(verdict, err)
	}
	verdict, err = v.VerifyWithin(-time.Second)
	if err != nil || len(verdict.Verified) != 1 {
		t.Error("at least one", verdict, err)
	}
	verdict, err = v.Verify()
	if err != nil || len(verdict.Verified) != last-1 || v.Pending() != 0 {
		t.Error(verdict, err)
	}
	// All or none: the claim before the one without a cell is not added either.
	none := []CellClaim{all[last], {CellName: all[0].CellName}}
	if err := v.Add(none); err == nil || err.Error() != "batch: claim 1 has no cell" || v.Pending() != 0 {
		t.Error(err, v.Pending())
	}
	// A right cell in its place; not another one in the place of a verified one.
	if err := v.Add(all); err != nil || v.Pending() != 1 {
		t.Error(err, v.Pending())
	}
	other := all[0]
	other.Proof = all[1].Proof
	var failed *Error
	if err := v.Add([]CellClaim{other}); !errors.As(err, &failed) || failed.Status != "PARCRYPT_ERROR_DUPLICATE" {
		t.Error(err)
	}
	other.CommitmentIndex = 3
	if err := v.Add([]CellClaim{other}); !errors.As(err, &failed) || failed.Status != "PARCRYPT_ERROR_INDEX" {
		t.Error(err)
	}
	if verdict, err := v.VerifyWithin(time.Minute); err != nil || !slices.Equal(verdict.Verified, []CellName{all[last].CellName}) {
		t.Error(verdict, err)
	}
	one, err := v.Cost(1)
	if many, failed := v.Cost(3); err != nil || failed != nil || one <= 0 || many <= one || many > 3*one {
		t.Error(one, many, err, failed)
	}
	v.Close()
	v.Close()
	if _, err := v.Cost(1); err != errClosed {
		t.Error(err)
	}
	if _, err := v.Verify(); err != errClosed || v.Add(all) != errClosed || v.Pending() != 0 {
		t.Error("a closed verifier has no cells", err)
	}
	commitments[1] = Bytes48{}
	if _, err := context.NewCellVerifier(commitments); !errors.As(err, &failed) || failed.Status != "PARCRYPT_ERROR_POINT" {
		t.Error(err)
	}
}
