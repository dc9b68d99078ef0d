// Package batch computes KZG commitments and proofs of many blobs on several threads, by Parcrypt.
//
// A context has a trusted setup, tables and threads of its own, so that a program may have several. Each item of a batch
// has an error of its own. The functions may be called by several goroutines at once.
package batch

// #cgo CFLAGS: -I${SRCDIR}/../native/include
// #cgo linux LDFLAGS: ${SRCDIR}/../native/lib/libparcrypt.a -lgomp -lgcc_s -lutil -lrt -lpthread -lm -ldl -lc
// #cgo !linux LDFLAGS: ${SRCDIR}/../native/lib/libparcrypt.a -lpthread -lm
// #if !__has_include("library.h")
// #error the libraries of Parcrypt are not built: run make go in its folder
// #endif
// #include <stdlib.h>
// #include <parcrypt.h>
// #include "library.h"
import "C"

import (
	"errors"
	"fmt"
	"runtime"
	"unsafe"

	. "github.com/ethereum/c-kzg-4844/v2/types"
)

// Options of a context; the zero value is mainnet's setup on all processors.
type Options struct {
	// Number of threads that work at once, the caller's included; 0 for as many as the process may use.
	Threads int
	// Most memory of tables in MiB; 0 for none. docs/explanation/kzg.md#tables has the sizes.
	TablesMiB int
	// Contents of a trusted setup in any form that Parcrypt reads; empty for mainnet's.
	Setup []byte
	// Backends, such as "blst", which turns off vector code but the instructions for SHA-256; empty for the best of this machine.
	Backends string
}

// Context is a trusted setup with its tables and threads.
type Context struct {
	runtime  *C.parcrypt_runtime
	settings *C.parcrypt_settings
}

// Error of a call or of an item.
type Error struct {
	// Name of the status, such as PARCRYPT_ERROR_LENGTH.
	Status string
	// What was wrong; empty for an item other than the first that failed.
	Message string
}

func (e *Error) Error() string {
	if e.Message == "" {
		return e.Status
	}
	return fmt.Sprintf("%s: %s", e.Status, e.Message)
}

var (
	errClosed  = &Error{"PARCRYPT_ERROR_POINTER", "the context is closed"}
	errLengths = errors.New("batch: lists of different lengths")
)

// call calls a function of the library, whose message belongs to the thread.
func call(f func() C.parcrypt_status) (C.parcrypt_status, error) {
	runtime.LockOSThread()
	defer runtime.UnlockOSThread()
	status := f()
	if status == C.PARCRYPT_OK {
		return status, nil
	}
	return status, &Error{C.GoString(C.parcrypt_status_name(status)), C.GoString(C.parcrypt_error_message())}
}

// call calls a function of the library with an open context.
func (c *Context) call(f func() C.parcrypt_status) (C.parcrypt_status, error) {
	if c.settings == nil {
		return C.PARCRYPT_ERROR_POINTER, errClosed
	}
	return call(f)
}

func first[T any](items []T) *C.uint8_t { return (*C.uint8_t)(unsafe.Pointer(unsafe.SliceData(items))) }

// New returns a context, to be closed by Close.
func New(options Options) (*Context, error) {
	if options.Threads < 0 || options.TablesMiB < 0 {
		return nil, fmt.Errorf("batch: %d threads and %d MiB of tables: both must be at least 0", options.Threads, options.TablesMiB)
	}
	context := &Context{}
	kind := C.CString("rayon")
	defer C.free(unsafe.Pointer(kind))
	backends := C.CString(options.Backends)
	defer C.free(unsafe.Pointer(backends))
	_, err := call(func() C.parcrypt_status {
		if status := C.parcrypt_runtime_new(kind, C.size_t(options.Threads), &context.runtime); status != C.PARCRYPT_OK {
			return status
		}
		if len(options.Setup) == 0 {
			if status := C.parcrypt_settings_mainnet(backends, &context.settings); status != C.PARCRYPT_OK {
				return status
			}
		} else if status := C.parcrypt_settings_from_bytes(context.runtime, backends, first(options.Setup),
			C.size_t(len(options.Setup)), &context.settings); status != C.PARCRYPT_OK {
			return status
		}
		if options.TablesMiB == 0 {
			return C.PARCRYPT_OK
		}
		return C.parcrypt_settings_build_tables(context.runtime, context.settings, C.size_t(options.TablesMiB), nil)
	})
	if err != nil {
		context.Close()
		return nil, err
	}
	return context, nil
}

// Close frees the context and ends its threads. No call may use it then; later ones return an error.
func (c *Context) Close() {
	C.parcrypt_settings_free(c.settings)
	C.parcrypt_runtime_free(c.runtime)
	c.settings, c.runtime = nil, nil
}

// Threads returns the number of threads that work at once; 0 for a closed context.
func (c *Context) Threads() int { return int(C.parcrypt_runtime_threads(c.runtime)) }

// many calls a batch function and returns the error of each item, and nil where there is none.
func (c *Context) many(count int, f func(statuses *C.parcrypt_status) C.parcrypt_status) ([]error, error) {
	statuses := make([]C.parcrypt_status, count)
	status, err := c.call(func() C.parcrypt_status { return f(unsafe.SliceData(statuses)) })
	if status != C.PARCRYPT_ERROR_ITEMS {
		return nil, err
	}
	errs := make([]error, count)
	message := err.(*Error).Message
	for i, status := range statuses {
		if status != C.PARCRYPT_OK {
			errs[i] = &Error{C.GoString(C.parcrypt_status_name(status)), message}
			message = ""
		}
	}
	return errs, nil
}

// each calls a function for each item, and returns the error of each, and nil where there is none.
func (c *Context) each(count int, f func(i int) C.parcrypt_status) (errs []error) {
	for i := range count {
		if _, err := c.call(func() C.parcrypt_status { return f(i) }); err != nil {
			if errs == nil {
				errs = make([]error, count)
			}
			errs[i] = err
		}
	}
	return
}

// Commitments returns the commitment to each blob. errs is nil where all succeed; otherwise it has the error of each
// blob, and the commitments of those that failed are zeros.
func (c *Context) Commitments(blobs []Blob) (commitments []KZGCommitment, errs []error) {
	commitments = make([]KZGCommitment, len(blobs))
	errs = c.each(len(blobs), func(i int) C.parcrypt_status {
		return C.parcrypt_blob_to_kzg_commitment(c.runtime, c.settings, first(blobs[i][:]), BytesPerBlob, first(commitments[i][:]))
	})
	return
}

// BlobProofs returns for each blob the proof that its commitment is the commitment to it. errs is as in Commitments; err
// is an error of the call, with which there is no result.
func (c *Context) BlobProofs(blobs []Blob, commitments []Bytes48) (proofs []KZGProof, errs []error, err error) {
	if len(blobs) != len(commitments) {
		return nil, nil, errLengths
	}
	proofs = make([]KZGProof, len(blobs))
	errs = c.each(len(blobs), func(i int) C.parcrypt_status {
		return C.parcrypt_compute_blob_kzg_proof(c.runtime, c.settings, first(blobs[i][:]), BytesPerBlob,
			first(commitments[i][:]), BytesPerCommitment, first(proofs[i][:]))
	})
	return
}

// VerifyBlobs returns whether all commitments are the commitments to their blobs; true for none.
func (c *Context) VerifyBlobs(blobs []Blob, commitments, proofs []Bytes48) (bool, error) {
	if len(blobs) != len(commitments) || len(blobs) != len(proofs) {
		return false, errLengths
	}
	var ok C.bool
	_, err := c.call(func() C.parcrypt_status {
		return C.parcrypt_verify_blob_kzg_proof_batch(c.runtime, c.settings, first(blobs), C.size_t(len(blobs)*BytesPerBlob),
			first(commitments), C.size_t(len(commitments)*BytesPerCommitment), first(proofs),
			C.size_t(len(proofs)*BytesPerProof), &ok)
	})
	return err == nil && bool(ok), err
}

// WrongBlobs returns the error of each blob, and nil where its commitment and proof verify; nil if all do. It has the
// verdict of VerifyBlobs on all, and finds a wrong one without verifying each blob by itself.
func (c *Context) WrongBlobs(blobs []Blob, commitments, proofs []Bytes48) (errs []error, err error) {
	if len(blobs) != len(commitments) || len(blobs) != len(proofs) {
		return nil, errLengths
	}
	return c.many(len(blobs), func(statuses *C.parcrypt_status) C.parcrypt_status {
		return C.parcrypt_find_wrong_blobs(c.runtime, c.settings, first(blobs), C.size_t(len(blobs)*BytesPerBlob),
			first(commitments), C.size_t(len(commitments)*BytesPerCommitment), first(proofs),
			C.size_t(len(proofs)*BytesPerProof), statuses, C.size_t(len(blobs)))
	})
}

// WrongCells returns the error of each cell, and nil where its proof verifies; nil if all do. The status of a proof that
// does not verify is PARCRYPT_ERROR_PROOF. Malformed cells do not affect the others.
func (c *Context) WrongCells(commitments []Bytes48, cellIndices []uint64, cells []Cell, proofs []Bytes48) (errs []error, err error) {
	if len(cells) != len(commitments) || len(cells) != len(cellIndices) || len(cells) != len(proofs) {
		return nil, errLengths
	}
	return c.many(len(cells), func(statuses *C.parcrypt_status) C.parcrypt_status {
		return C.parcrypt_find_wrong_cells(c.runtime, c.settings, first(commitments),
			C.size_t(len(commitments)*BytesPerCommitment), (*C.uint64_t)(unsafe.SliceData(cellIndices)),
			C.size_t(len(cellIndices)), first(cells), C.size_t(len(cells)*BytesPerCell), first(proofs),
			C.size_t(len(proofs)*BytesPerProof), statuses, C.size_t(len(cells)))
	})
}
