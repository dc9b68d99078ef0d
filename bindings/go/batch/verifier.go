package batch

// #include <parcrypt.h>
import "C"

import (
	"fmt"
	"runtime"

	. "github.com/ethereum/c-kzg-4844/v2/types"
)

// CellVerifier has the commitments of some blobs, which are read once, to verify cells of these blobs as they come. It
// keeps no cells, and several goroutines may use it at once.
type CellVerifier struct {
	context  *Context
	verifier *C.parcrypt_cell_verifier
}

// CellClaim is a cell with its proof, by the indices of its commitment and its column.
type CellClaim struct {
	CommitmentIndex, CellIndex uint64
	Cell                       *Cell
	Proof                      Bytes48
}

var errVerifierClosed = &Error{"PARCRYPT_ERROR_POINTER", "the cell verifier is closed"}

// NewCellVerifier returns a verifier for the cells of the blobs with these commitments. It must be closed before the
// context, when no call uses it.
func (c *Context) NewCellVerifier(commitments []Bytes48) (*CellVerifier, error) {
	v := &CellVerifier{context: c}
	_, err := c.call(func() C.parcrypt_status {
		return C.parcrypt_cell_verifier_new(c.runtime, c.settings, first(commitments),
			C.size_t(len(commitments)*BytesPerCommitment), &v.verifier)
	})
	if err != nil {
		return nil, err
	}
	return v, nil
}

// Close frees the verifier.
func (v *CellVerifier) Close() {
	C.parcrypt_cell_verifier_free(v.verifier)
	v.verifier = nil
}

// Verify returns whether all cells are right; true for none. Cells of one column take least time.
func (v *CellVerifier) Verify(claims []CellClaim) (bool, error) {
	if v.verifier == nil {
		return false, errVerifierClosed
	}
	rows, columns := make([]uint64, len(claims)), make([]uint64, len(claims))
	cells, proofs := make([]Cell, len(claims)), make([]Bytes48, len(claims))
	for k, claim := range claims {
		if claim.Cell == nil {
			return false, fmt.Errorf("batch: claim %d has no cell", k)
		}
		rows[k], columns[k], cells[k], proofs[k] = claim.CommitmentIndex, claim.CellIndex, *claim.Cell, claim.Proof
	}
	c, count := v.context, C.size_t(len(claims))
	var ok C.bool
	_, err := c.call(func() C.parcrypt_status {
		return C.parcrypt_cell_verifier_verify(c.runtime, c.settings, v.verifier, numbers(rows), numbers(columns),
			first(cells), count*BytesPerCell, first(proofs), count*BytesPerProof, count, &ok)
	})
	runtime.KeepAlive(v)
	return err == nil && bool(ok), err
}
