package batch

// #include <stdlib.h>
// #include <parcrypt.h>
import "C"

import (
	"unsafe"

	. "github.com/ethereum/c-kzg-4844/v2/types"
)

func numbers(indices []uint64) *C.uint64_t { return (*C.uint64_t)(unsafe.SliceData(indices)) }

// Want says what is computed of each blob.
type Want struct {
	Cells, Proofs bool
	// The rising indices of the cells; all for nil.
	Columns []uint64
}

// CellsAndProofs are cells of a blob and the proof of each, as far as they were wanted.
type CellsAndProofs struct {
	Cells  []Cell
	Proofs []KZGProof
}

// Samples are cells of one blob: at least 64, with rising indices.
type Samples struct {
	Indices []uint64
	Cells   []Cell
}

// wanted calls a function that writes what is wanted of each blob.
func (c *Context) wanted(count int, want Want, f func(columns *C.uint64_t, n C.size_t, cells *C.uint8_t, cellsLength C.size_t, proofs *C.uint8_t, proofsLength C.size_t, statuses *C.parcrypt_status) C.parcrypt_status) (made []CellsAndProofs, errs []error, err error) {
	n, columns := CellsPerExtBlob, want.Columns
	if columns != nil {
		// A slice without room has no address.
		n, columns = len(columns), append(make([]uint64, 0, len(columns)+1), columns...)
	}
	var cells []Cell
	var proofs []KZGProof
	if want.Cells {
		cells = make([]Cell, count*n)
	}
	if want.Proofs {
		proofs = make([]KZGProof, count*n)
	}
	errs, err = c.many(count, func(statuses *C.parcrypt_status) C.parcrypt_status {
		return f(numbers(columns), C.size_t(len(columns)), first(cells), C.size_t(len(cells)*BytesPerCell), first(proofs),
			C.size_t(len(proofs)*BytesPerProof), statuses)
	})
	made = make([]CellsAndProofs, count)
	for i := range made {
		made[i] = CellsAndProofs{part(cells, i, n), part(proofs, i, n)}
	}
	return
}

// part returns list i of lists of this length, or nil without any.
func part[T any](all []T, i, length int) []T {
	if all == nil {
		return nil
	}
	return all[i*length : (i+1)*length : (i+1)*length]
}

// Compute returns what is wanted of each blob. Errors are as in BlobProofs; one of the columns is an error of the call.
func (c *Context) Compute(blobs []Blob, want Want) ([]CellsAndProofs, []error, error) {
	return c.wanted(len(blobs), want, func(columns *C.uint64_t, n C.size_t, cells *C.uint8_t, cellsLength C.size_t, proofs *C.uint8_t, proofsLength C.size_t, statuses *C.parcrypt_status) C.parcrypt_status {
		return C.parcrypt_compute_wanted(c.runtime, c.settings, first(blobs), C.size_t(len(blobs)*BytesPerBlob), columns, n,
			cells, cellsLength, proofs, proofsLength, statuses, C.size_t(len(blobs)))
	})
}

// Recover returns what is wanted of each blob, such as one column, from at least 64 of its cells. Errors are as in
// Compute.
func (c *Context) Recover(samples []Samples, want Want) ([]CellsAndProofs, []error, error) {
	counts := make([]C.size_t, len(samples))
	var indices []uint64
	var given []Cell
	for i, sample := range samples {
		if len(sample.Indices) != len(sample.Cells) {
			return nil, nil, errLengths
		}
		counts[i] = C.size_t(len(sample.Cells))
		indices, given = append(indices, sample.Indices...), append(given, sample.Cells...)
	}
	return c.wanted(len(samples), want, func(columns *C.uint64_t, n C.size_t, cells *C.uint8_t, cellsLength C.size_t, proofs *C.uint8_t, proofsLength C.size_t, statuses *C.parcrypt_status) C.parcrypt_status {
		return C.parcrypt_recover_wanted(c.runtime, c.settings, unsafe.SliceData(counts), numbers(indices),
			C.size_t(len(indices)), first(given), C.size_t(len(given)*BytesPerCell), columns, n, cells, cellsLength, proofs,
			proofsLength, statuses, C.size_t(len(samples)))
	})
}
