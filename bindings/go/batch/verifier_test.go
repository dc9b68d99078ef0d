package batch

import (
	"errors"
	"testing"

	. "github.com/ethereum/c-kzg-4844/v2/types"
)

func TestCellsAreVerifiedAsTheyCome(t *testing.T) {
	context := context(t, Options{Threads: 2})
	given := blobs(2)
	commitments, errs := context.Commitments(given)
	made, also, err := context.Compute(given, Want{Cells: true, Proofs: true})
	if errs != nil || also != nil || err != nil {
		t.Fatal(errs, also, err)
	}
	verifier, err := context.NewCellVerifier(as48(commitments))
	if err != nil {
		t.Fatal(err)
	}
	var claims []CellClaim
	for _, column := range []uint64{100, 7} {
		for blob := range made {
			cell := made[blob].Cells[column]
			claims = append(claims, CellClaim{uint64(blob), column, &cell, Bytes48(made[blob].Proofs[column])})
		}
	}
	for _, some := range [][]CellClaim{nil, claims[:2], claims[2:], claims} {
		if ok, err := verifier.Verify(some); !ok || err != nil {
			t.Error(len(some), ok, err)
		}
	}
	claims[3].Cell[31] ^= 1
	if ok, err := verifier.Verify(claims); ok || err != nil {
		t.Error(ok, err)
	}
	var status *Error
	for name, bad := range map[string]CellClaim{
		"PARCRYPT_ERROR_INDEX":         {2, 7, claims[0].Cell, claims[0].Proof},
		"PARCRYPT_ERROR_POINT":         {0, 100, claims[0].Cell, Bytes48{}},
		"PARCRYPT_ERROR_FIELD_ELEMENT": {0, 100, &Cell{0xff}, claims[0].Proof},
	} {
		if ok, err := verifier.Verify([]CellClaim{bad}); ok || !errors.As(err, &status) || status.Status != name {
			t.Error(name, ok, err)
		}
	}
	if _, err := verifier.Verify([]CellClaim{{}}); err == nil {
		t.Error("a claim without a cell")
	}
	verifier.Close()
	if _, err := verifier.Verify(nil); err != errVerifierClosed {
		t.Error(err)
	}
	if _, err := context.NewCellVerifier([]Bytes48{{}}); !errors.As(err, &status) || status.Status != "PARCRYPT_ERROR_POINT" {
		t.Error(err)
	}
}
