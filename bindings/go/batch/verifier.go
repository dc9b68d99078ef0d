package batch

// #include <parcrypt.h>
import "C"

import (
	"errors"
	"fmt"
	"math"
	"runtime"
	"time"
	"unsafe"

	. "github.com/ethereum/c-kzg-4844/v2/types"
)

// CellVerifier verifies the cells of some blobs as they come: it reads the commitments once, and verifies cells in
// pieces. Its methods may be called by several goroutines at once; Add never waits for a verification.
type CellVerifier struct {
	context     *Context
	verifier    *C.parcrypt_cell_verifier
	commitments int
}

// CellName names a cell by its commitment and its column.
type CellName struct {
	CommitmentIndex, CellIndex uint64
}

// CellClaim is a cell with its proof.
type CellClaim struct {
	CellName
	Cell  *Cell
	Proof Bytes48
}

// CellVerdict is the verdict on some cells. Wrong cells are forgotten: right ones can be added instead.
type CellVerdict struct {
	Verified []CellName
	Wrong    []WrongCell
}

// WrongCell is a wrong cell.
type WrongCell struct {
	CellName
	// The name of the status if its bytes are not a cell or a proof, such as PARCRYPT_ERROR_FIELD_ELEMENT; empty if the
	// proof does not verify.
	Status string
}

var errClosed = errors.New("batch: it is closed")

// NewCellVerifier returns a verifier for the cells of the blobs with these commitments. It must be closed before the
// context, when no call uses it.
func (c *Context) NewCellVerifier(commitments []Bytes48) (*CellVerifier, error) {
	v := &CellVerifier{context: c, commitments: len(commitments)}
	_, err := call(func() C.parcrypt_status {
		return C.parcrypt_cell_verifier_new(c.runtime, c.settings, first(commitments),
			C.size_t(len(commitments)*BytesPerCommitment), &v.verifier)
	})
	if err != nil {
		return nil, err
	}
	return v, nil
}

// Close frees the verifier, and forgets its cells.
func (v *CellVerifier) Close() {
	C.parcrypt_cell_verifier_free(v.verifier)
	v.verifier = nil
}

// Add adds cells, all or, with an error, none. The same cell with the same proof may be added again. One that differs
// from a pending cell is an error until the verdict on that cell, which may be the wrong one: verify, then add again.
func (v *CellVerifier) Add(claims []CellClaim) error {
	if v.verifier == nil {
		return errClosed
	}
	rows, columns := make([]uint64, len(claims)), make([]uint64, len(claims))
	cells, proofs := make([]Cell, len(claims)), make([]Bytes48, len(claims))
	for k, claim := range claims {
		if claim.Cell == nil {
			return fmt.Errorf("batch: claim %d has no cell", k)
		}
		rows[k], columns[k], cells[k], proofs[k] = claim.CommitmentIndex, claim.CellIndex, *claim.Cell, claim.Proof
	}
	count := C.size_t(len(claims))
	_, err := call(func() C.parcrypt_status {
		return C.parcrypt_cell_verifier_add(v.verifier, (*C.uint64_t)(unsafe.SliceData(rows)), count,
			(*C.uint64_t)(unsafe.SliceData(columns)), count, first(cells), count*BytesPerCell, first(proofs),
			count*BytesPerProof)
	})
	return err
}

// verdict calls a function that returns at most room verdicts.
func (v *CellVerifier) verdict(room int, f func(verdicts *C.parcrypt_cell_verdict, room C.size_t, count *C.size_t) C.parcrypt_status) (CellVerdict, error) {
	if v.verifier == nil {
		return CellVerdict{}, errClosed
	}
	verdicts := make([]C.parcrypt_cell_verdict, max(room, 1))
	var count C.size_t
	_, err := call(func() C.parcrypt_status { return f(&verdicts[0], C.size_t(len(verdicts)), &count) })
	runtime.KeepAlive(v)
	var all CellVerdict
	if err != nil {
		return all, err
	}
	for _, verdict := range verdicts[:count] {
		name := CellName{uint64(verdict.commitment_index), uint64(verdict.cell_index)}
		if verdict.ok {
			all.Verified = append(all.Verified, name)
			continue
		}
		wrong := WrongCell{CellName: name}
		if verdict.status != C.PARCRYPT_OK {
			wrong.Status = C.GoString(C.parcrypt_status_name(verdict.status))
		}
		all.Wrong = append(all.Wrong, wrong)
	}
	return all, nil
}

// Verify returns the verdict on all cells that are pending when it is called, on the threads of the context.
func (v *CellVerifier) Verify() (CellVerdict, error) {
	c := v.context
	return v.verdict(v.Pending(), func(verdicts *C.parcrypt_cell_verdict, room C.size_t, count *C.size_t) C.parcrypt_status {
		return C.parcrypt_cell_verifier_verify(c.runtime, c.settings, v.verifier, verdicts, room, count)
	})
}

// VerifyNext returns the verdict on the next piece: at most this number of cells, and at least one, of one column.
func (v *CellVerifier) VerifyNext(most int) (CellVerdict, error) {
	c := v.context
	most = min(most, v.commitments)
	return v.verdict(most, func(verdicts *C.parcrypt_cell_verdict, room C.size_t, count *C.size_t) C.parcrypt_status {
		return C.parcrypt_cell_verifier_verify_next(c.runtime, c.settings, v.verifier, verdicts, room, count)
	})
}

// VerifyWithin returns the verdict on as many cells of one column as take this time by their stated cost, but at least
// one. If one is wrong there is no verdict, and the next calls find it in smaller pieces.
func (v *CellVerifier) VerifyWithin(limit time.Duration) (CellVerdict, error) {
	c, ns := v.context, C.uint64_t(max(limit, 0))
	return v.verdict(v.commitments, func(verdicts *C.parcrypt_cell_verdict, room C.size_t, count *C.size_t) C.parcrypt_status {
		return C.parcrypt_cell_verifier_verify_within(c.runtime, c.settings, v.verifier, ns, verdicts, room, count)
	})
}

// Cost returns the estimated time to verify this number of right cells of one column on one thread, a core of 2023.
func (v *CellVerifier) Cost(cells int) (time.Duration, error) {
	if v.verifier == nil {
		return 0, errClosed
	}
	var ns C.uint64_t
	_, err := call(func() C.parcrypt_status {
		return C.parcrypt_cell_verifier_cost(v.context.settings, v.verifier, C.size_t(max(cells, 0)), &ns)
	})
	return time.Duration(min(ns, math.MaxInt64)), err
}

// Pending returns the number of cells without a verdict.
func (v *CellVerifier) Pending() int { return int(C.parcrypt_cell_verifier_pending(v.verifier)) }

// Memory returns the size in bytes of what the verifier holds.
func (v *CellVerifier) Memory() int { return int(C.parcrypt_cell_verifier_memory(v.verifier)) }
