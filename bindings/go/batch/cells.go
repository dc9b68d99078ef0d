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

// BlobCells is a blob that keeps what was computed of it: cells and proofs that are asked for again are not computed
// again. Goroutines may share it. It belongs to the context, which is closed after it.
type BlobCells struct {
	context *Context
	handle  *C.parcrypt_blob_cells
}

// NewBlobCells returns the handle of a blob, to be closed by Close.
func (c *Context) NewBlobCells(blob *Blob) (*BlobCells, error) {
	return c.handle(func(handle **C.parcrypt_blob_cells) C.parcrypt_status {
		return C.parcrypt_blob_cells_from_blob(c.runtime, c.settings, first(blob[:]), C.size_t(BytesPerBlob), handle)
	})
}

// RecoverBlobCells returns the handle of the blob with these cells, to be closed by Close.
func (c *Context) RecoverBlobCells(samples Samples) (*BlobCells, error) {
	return c.handle(func(handle **C.parcrypt_blob_cells) C.parcrypt_status {
		return C.parcrypt_blob_cells_from_cells(c.runtime, c.settings, numbers(samples.Indices),
			C.size_t(len(samples.Indices)), first(samples.Cells), C.size_t(len(samples.Cells)*BytesPerCell), handle)
	})
}

// ReadBlobCells returns the handle that Bytes wrote with the same setup, to be closed by Close. A checksum finds damage,
// not forgery.
func (c *Context) ReadBlobCells(bytes []byte) (*BlobCells, error) {
	return c.handle(func(handle **C.parcrypt_blob_cells) C.parcrypt_status {
		return C.parcrypt_blob_cells_from_bytes(c.runtime, c.settings, first(bytes), C.size_t(len(bytes)), handle)
	})
}

func (c *Context) handle(f func(handle **C.parcrypt_blob_cells) C.parcrypt_status) (*BlobCells, error) {
	// A variable of its own: C may not see a struct with pointers of Go.
	var handle *C.parcrypt_blob_cells
	if _, err := call(func() C.parcrypt_status { return f(&handle) }); err != nil {
		return nil, err
	}
	return &BlobCells{c, handle}, nil
}

// Close frees the handle. No call may use it then.
func (b *BlobCells) Close() {
	C.parcrypt_blob_cells_free(b.handle)
	b.handle = nil
}

// Cells returns the cells with these rising indices.
func (b *BlobCells) Cells(indices []uint64) ([]Cell, error) {
	if b.handle == nil {
		return nil, errClosed
	}
	cells := make([]Cell, len(indices))
	_, err := call(func() C.parcrypt_status {
		return C.parcrypt_blob_cells_cells(b.context.runtime, b.context.settings, b.handle, numbers(indices),
			C.size_t(len(indices)), first(cells), C.size_t(len(cells)*BytesPerCell))
	})
	return cells, err
}

// Proofs returns the proofs of the cells with these rising indices.
func (b *BlobCells) Proofs(indices []uint64) ([]KZGProof, error) {
	if b.handle == nil {
		return nil, errClosed
	}
	proofs := make([]KZGProof, len(indices))
	_, err := call(func() C.parcrypt_status {
		return C.parcrypt_blob_cells_proofs(b.context.runtime, b.context.settings, b.handle, numbers(indices),
			C.size_t(len(indices)), first(proofs), C.size_t(len(proofs)*BytesPerProof))
	})
	return proofs, err
}

// Blob returns the blob.
func (b *BlobCells) Blob() (*Blob, error) {
	if b.handle == nil {
		return nil, errClosed
	}
	blob := new(Blob)
	_, err := call(func() C.parcrypt_status { return C.parcrypt_blob_cells_blob(b.handle, first(blob[:])) })
	return blob, err
}

// Bytes returns the blob and the proofs that are known, for ReadBlobCells.
func (b *BlobCells) Bytes() ([]byte, error) {
	if b.handle == nil {
		return nil, errClosed
	}
	bytes := make([]byte, C.PARCRYPT_MAX_BYTES_PER_BLOB_CELLS)
	var length C.size_t
	_, err := call(func() C.parcrypt_status {
		return C.parcrypt_blob_cells_to_bytes(b.handle, first(bytes), C.size_t(len(bytes)), &length)
	})
	if err != nil {
		return nil, err
	}
	return bytes[:length], nil
}

// Memory returns the memory that the handle takes now, in bytes.
func (b *BlobCells) Memory() int { return int(C.parcrypt_blob_cells_memory(b.handle)) }
