package batch

// #include <stdlib.h>
// #include <parcrypt.h>
import "C"

import (
	"unsafe"

	. "github.com/ethereum/c-kzg-4844/v2/types"
)

func numbers(indices []uint64) *C.uint64_t { return (*C.uint64_t)(unsafe.SliceData(indices)) }

// CellsSubset returns for each blob its cells with these rising indices, in their order. Errors are as in Commitments;
// one of the indices is an error of the call.
func (c *Context) CellsSubset(blobs []Blob, indices []uint64) (cells [][]Cell, errs []error, err error) {
	found := make([]Cell, len(blobs)*len(indices))
	errs, err = many(len(blobs), func(statuses *C.parcrypt_status) C.parcrypt_status {
		return C.parcrypt_compute_cells_subset_many(c.runtime, c.settings, first(blobs), C.size_t(len(blobs)*BytesPerBlob),
			numbers(indices), C.size_t(len(indices)), first(found), C.size_t(len(found)*BytesPerCell), statuses,
			C.size_t(len(blobs)))
	})
	return split(found, len(blobs), len(indices)), errs, err
}

// CellsAndProofsSubset returns the cells of a blob with these rising indices and the proof of each.
func (c *Context) CellsAndProofsSubset(blob *Blob, indices []uint64) (cells []Cell, proofs []KZGProof, err error) {
	cells, proofs = make([]Cell, len(indices)), make([]KZGProof, len(indices))
	_, err = call(func() C.parcrypt_status {
		return C.parcrypt_compute_cells_and_kzg_proofs_subset(c.runtime, c.settings, first(blob[:]), C.size_t(BytesPerBlob),
			numbers(indices), C.size_t(len(indices)), first(cells), C.size_t(len(cells)*BytesPerCell), first(proofs),
			C.size_t(len(proofs)*BytesPerProof))
	})
	return
}

// CellProofsSubset returns the proofs of the cells of a blob with these rising indices, without the cells.
func (c *Context) CellProofsSubset(blob *Blob, indices []uint64) ([]KZGProof, error) {
	proofs := make([]KZGProof, len(indices))
	_, err := call(func() C.parcrypt_status {
		return C.parcrypt_compute_cell_kzg_proofs_subset(c.runtime, c.settings, first(blob[:]), C.size_t(BytesPerBlob),
			numbers(indices), C.size_t(len(indices)), first(proofs), C.size_t(len(proofs)*BytesPerProof))
	})
	return proofs, err
}

// RecoverSubset returns for each blob the cells with the rising indices wanted, such as one column, from at least 64
// cells. Errors are as in CellsSubset.
func (c *Context) RecoverSubset(samples []Samples, wanted []uint64) (cells [][]Cell, errs []error, err error) {
	counts, indices, given, err := flatten(samples)
	if err != nil {
		return nil, nil, err
	}
	found := make([]Cell, len(samples)*len(wanted))
	errs, err = many(len(samples), func(statuses *C.parcrypt_status) C.parcrypt_status {
		return C.parcrypt_recover_cells_subset_many(c.runtime, c.settings, unsafe.SliceData(counts), numbers(indices),
			C.size_t(len(indices)), first(given), C.size_t(len(given)*BytesPerCell), numbers(wanted), C.size_t(len(wanted)),
			first(found), C.size_t(len(found)*BytesPerCell), statuses, C.size_t(len(samples)))
	})
	return split(found, len(samples), len(wanted)), errs, err
}

// split cuts a list into count lists of this length.
func split(all []Cell, count, length int) [][]Cell {
	lists := make([][]Cell, count)
	for i := range lists {
		lists[i] = all[i*length : (i+1)*length : (i+1)*length]
	}
	return lists
}
