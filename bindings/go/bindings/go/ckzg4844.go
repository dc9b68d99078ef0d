// Package ckzg4844 has the API of the Go binding of c-kzg-4844, computed by Parcrypt.
//
// A program takes it with one line in its go.mod, after `make go` has built the library:
//
//	replace github.com/ethereum/c-kzg-4844/v2 => ../parcrypt/bindings/go
//
// As in c-kzg-4844 there is one trusted setup for the process, which is loaded before everything else, and everything
// runs on the caller's thread. The functions may be called by several goroutines at once.
package ckzg4844

// #cgo CFLAGS: -I${SRCDIR}/../../native/include
// #cgo linux LDFLAGS: ${SRCDIR}/../../native/lib/libparcrypt_ckzg.a -lgcc_s -lutil -lrt -lpthread -lm -ldl -lc
// #cgo !linux LDFLAGS: ${SRCDIR}/../../native/lib/libparcrypt_ckzg.a -lpthread -lm
// #if !__has_include("library.h")
// #error the libraries of Parcrypt are not built: run make go in its folder
// #endif
// #include <stdio.h>
// #include <stdlib.h>
// #include <parcrypt/ckzg.h>
// #include "library.h"
import "C"

import (
	"errors"
	"fmt"
	"sync"
	"unsafe"

	"github.com/ethereum/c-kzg-4844/v2/types"
)

// Sizes that EIP-4844 and EIP-7594 fix.
const (
	BytesPerBlob         = types.BytesPerBlob
	BytesPerCell         = types.BytesPerCell
	BytesPerCommitment   = types.BytesPerCommitment
	BytesPerFieldElement = types.BytesPerFieldElement
	BytesPerProof        = types.BytesPerProof
	CellsPerExtBlob      = types.CellsPerExtBlob
	FieldElementsPerBlob = types.FieldElementsPerBlob
	FieldElementsPerCell = types.FieldElementsPerCell
)

type (
	Bytes32       = types.Bytes32
	Bytes48       = types.Bytes48
	KZGCommitment = types.KZGCommitment
	KZGProof      = types.KZGProof
	Blob          = types.Blob
	Cell          = types.Cell
)

// Errors of the functions.
var (
	ErrBadArgs = types.ErrBadArgs
	ErrError   = errors.New("unexpected error")
	ErrMalloc  = errors.New("malloc failed")
)

// The setup of the process. It is behind a pointer to memory of C, which calls may keep.
var (
	lock     sync.RWMutex
	settings *C.KZGSettings
)

// use calls f with the setup, which stays loaded meanwhile.
func use(f func(s *C.KZGSettings) C.C_KZG_RET) error {
	lock.RLock()
	defer lock.RUnlock()
	if settings == nil {
		panic("trusted setup isn't loaded")
	}
	return asError(f(settings))
}

func asError(ret C.C_KZG_RET) error {
	switch ret {
	case C.C_KZG_OK:
		return nil
	case C.C_KZG_BADARGS:
		return ErrBadArgs
	case C.C_KZG_ERROR:
		return ErrError
	case C.C_KZG_MALLOC:
		return ErrMalloc
	}
	return fmt.Errorf("unexpected error from c-library: %v", ret)
}

func load(f func(s *C.KZGSettings) C.C_KZG_RET) error {
	lock.Lock()
	defer lock.Unlock()
	if settings != nil {
		panic("trusted setup is already loaded")
	}
	loaded := (*C.KZGSettings)(C.calloc(1, C.sizeof_KZGSettings))
	if loaded == nil {
		return ErrMalloc
	}
	// After an error, and where f panics.
	defer func() {
		if settings == nil {
			C.free(unsafe.Pointer(loaded))
		}
	}()
	err := asError(f(loaded))
	if err == nil {
		settings = loaded
	}
	return err
}

func first[T any](items []T) unsafe.Pointer { return unsafe.Pointer(unsafe.SliceData(items)) }

// LoadTrustedSetup loads a setup from compressed points: 4096 of G1 in the monomial form, 4096 in the Lagrange form, 65
// of G2. precompute, from 0 to 15, bounds the memory of tables (docs/explanation/kzg.md#tables). It panics where a setup
// is loaded.
func LoadTrustedSetup(g1MonomialBytes, g1LagrangeBytes, g2MonomialBytes []byte, precompute uint) error {
	return load(func(s *C.KZGSettings) C.C_KZG_RET {
		return C.load_trusted_setup(s,
			(*C.uint8_t)(first(g1MonomialBytes)), C.uint64_t(len(g1MonomialBytes)),
			(*C.uint8_t)(first(g1LagrangeBytes)), C.uint64_t(len(g1LagrangeBytes)),
			(*C.uint8_t)(first(g2MonomialBytes)), C.uint64_t(len(g2MonomialBytes)),
			C.uint64_t(precompute))
	})
}

// LoadTrustedSetupFile loads a setup from a file in the text of c-kzg-4844. It panics where a setup is loaded, and where
// the file cannot be opened.
func LoadTrustedSetupFile(trustedSetupFile string, precompute uint) error {
	return load(func(s *C.KZGSettings) C.C_KZG_RET {
		path, mode := C.CString(trustedSetupFile), C.CString("r")
		defer C.free(unsafe.Pointer(path))
		defer C.free(unsafe.Pointer(mode))
		file := C.fopen(path, mode)
		if file == nil {
			panic("error reading trusted setup")
		}
		defer C.fclose(file)
		return C.load_trusted_setup_file(s, file, C.uint64_t(precompute))
	})
}

// FreeTrustedSetup frees the setup, after the calls that use it. It panics where none is loaded.
func FreeTrustedSetup() {
	lock.Lock()
	defer lock.Unlock()
	if settings == nil {
		panic("trusted setup isn't loaded")
	}
	C.free_trusted_setup(settings)
	C.free(unsafe.Pointer(settings))
	settings = nil
}

// BlobToKZGCommitment returns the commitment to a blob.
func BlobToKZGCommitment(blob *Blob) (commitment KZGCommitment, err error) {
	err = use(func(s *C.KZGSettings) C.C_KZG_RET {
		return C.blob_to_kzg_commitment((*C.KZGCommitment)(unsafe.Pointer(&commitment)), (*C.Blob)(unsafe.Pointer(blob)), s)
	})
	return
}

// ComputeKZGProof returns the proof of the value of a blob's polynomial at z, and the value.
func ComputeKZGProof(blob *Blob, zBytes Bytes32) (proof KZGProof, y Bytes32, err error) {
	err = use(func(s *C.KZGSettings) C.C_KZG_RET {
		return C.compute_kzg_proof((*C.KZGProof)(unsafe.Pointer(&proof)), (*C.Bytes32)(unsafe.Pointer(&y)),
			(*C.Blob)(unsafe.Pointer(blob)), (*C.Bytes32)(unsafe.Pointer(&zBytes)), s)
	})
	return
}

// ComputeBlobKZGProof returns the proof that a commitment is the commitment to a blob.
func ComputeBlobKZGProof(blob *Blob, commitmentBytes Bytes48) (proof KZGProof, err error) {
	err = use(func(s *C.KZGSettings) C.C_KZG_RET {
		return C.compute_blob_kzg_proof((*C.KZGProof)(unsafe.Pointer(&proof)), (*C.Blob)(unsafe.Pointer(blob)),
			(*C.Bytes48)(unsafe.Pointer(&commitmentBytes)), s)
	})
	return
}

// VerifyKZGProof returns whether the polynomial of a commitment has the value y at z.
func VerifyKZGProof(commitmentBytes Bytes48, zBytes, yBytes Bytes32, proofBytes Bytes48) (bool, error) {
	var ok C.bool
	err := use(func(s *C.KZGSettings) C.C_KZG_RET {
		return C.verify_kzg_proof(&ok, (*C.Bytes48)(unsafe.Pointer(&commitmentBytes)),
			(*C.Bytes32)(unsafe.Pointer(&zBytes)), (*C.Bytes32)(unsafe.Pointer(&yBytes)),
			(*C.Bytes48)(unsafe.Pointer(&proofBytes)), s)
	})
	return err == nil && bool(ok), err
}

// VerifyBlobKZGProof returns whether a commitment is the commitment to a blob.
func VerifyBlobKZGProof(blob *Blob, commitmentBytes, proofBytes Bytes48) (bool, error) {
	var ok C.bool
	err := use(func(s *C.KZGSettings) C.C_KZG_RET {
		return C.verify_blob_kzg_proof(&ok, (*C.Blob)(unsafe.Pointer(blob)),
			(*C.Bytes48)(unsafe.Pointer(&commitmentBytes)), (*C.Bytes48)(unsafe.Pointer(&proofBytes)), s)
	})
	return err == nil && bool(ok), err
}

// VerifyBlobKZGProofBatch returns whether all commitments are the commitments to their blobs; true for none.
func VerifyBlobKZGProofBatch(blobs []Blob, commitmentsBytes, proofsBytes []Bytes48) (bool, error) {
	if len(blobs) != len(commitmentsBytes) || len(blobs) != len(proofsBytes) {
		return false, use(badArgs)
	}
	var ok C.bool
	err := use(func(s *C.KZGSettings) C.C_KZG_RET {
		return C.verify_blob_kzg_proof_batch(&ok, (*C.Blob)(first(blobs)), (*C.Bytes48)(first(commitmentsBytes)),
			(*C.Bytes48)(first(proofsBytes)), C.uint64_t(len(blobs)), s)
	})
	return err == nil && bool(ok), err
}

func badArgs(*C.KZGSettings) C.C_KZG_RET { return C.C_KZG_BADARGS }

// ComputeCells returns the 128 cells of a blob and its extension.
func ComputeCells(blob *Blob) (cells [CellsPerExtBlob]Cell, err error) {
	err = use(func(s *C.KZGSettings) C.C_KZG_RET {
		return C.compute_cells_and_kzg_proofs((*C.Cell)(unsafe.Pointer(&cells)), nil, (*C.Blob)(unsafe.Pointer(blob)), s)
	})
	return
}

// ComputeCellsAndKZGProofs returns the 128 cells of a blob and its extension, and the proof of each.
func ComputeCellsAndKZGProofs(blob *Blob) (cells [CellsPerExtBlob]Cell, proofs [CellsPerExtBlob]KZGProof, err error) {
	err = use(func(s *C.KZGSettings) C.C_KZG_RET {
		return C.compute_cells_and_kzg_proofs((*C.Cell)(unsafe.Pointer(&cells)), (*C.KZGProof)(unsafe.Pointer(&proofs)),
			(*C.Blob)(unsafe.Pointer(blob)), s)
	})
	return
}

// RecoverCells returns all 128 cells from at least 64 cells with rising indices.
func RecoverCells(cellIndices []uint64, cells []Cell) (recovered [CellsPerExtBlob]Cell, err error) {
	err = recoverInto(&recovered, nil, cellIndices, cells)
	return
}

// RecoverCellsAndKZGProofs returns all 128 cells and their proofs from at least 64 cells with rising indices.
func RecoverCellsAndKZGProofs(cellIndices []uint64, cells []Cell) (recovered [CellsPerExtBlob]Cell, proofs [CellsPerExtBlob]KZGProof, err error) {
	err = recoverInto(&recovered, &proofs, cellIndices, cells)
	return
}

func recoverInto(recovered *[CellsPerExtBlob]Cell, proofs *[CellsPerExtBlob]KZGProof, cellIndices []uint64, cells []Cell) error {
	if len(cellIndices) != len(cells) {
		return use(badArgs)
	}
	return use(func(s *C.KZGSettings) C.C_KZG_RET {
		return C.recover_cells_and_kzg_proofs((*C.Cell)(unsafe.Pointer(recovered)), (*C.KZGProof)(unsafe.Pointer(proofs)),
			(*C.uint64_t)(first(cellIndices)), (*C.Cell)(first(cells)), C.uint64_t(len(cells)), s)
	})
}

// VerifyCellKZGProofBatch returns whether each cell belongs to its commitment at its index; true for none.
func VerifyCellKZGProofBatch(commitmentsBytes []Bytes48, cellIndices []uint64, cells []Cell, proofsBytes []Bytes48) (bool, error) {
	if len(commitmentsBytes) != len(cells) || len(cellIndices) != len(cells) || len(proofsBytes) != len(cells) {
		return false, use(badArgs)
	}
	var ok C.bool
	err := use(func(s *C.KZGSettings) C.C_KZG_RET {
		return C.verify_cell_kzg_proof_batch(&ok, (*C.Bytes48)(first(commitmentsBytes)), (*C.uint64_t)(first(cellIndices)),
			(*C.Cell)(first(cells)), (*C.Bytes48)(first(proofsBytes)), C.uint64_t(len(cells)), s)
	})
	return err == nil && bool(ok), err
}

// computeChallenge returns the challenge of a blob and its commitment.
func computeChallenge(blob *Blob, commitment Bytes48) (challenge Bytes32, err error) {
	err = use(func(*C.KZGSettings) C.C_KZG_RET {
		var point C.g1_t
		var element C.fr_t
		if ret := C.bytes_to_kzg_commitment(&point, (*C.Bytes48)(unsafe.Pointer(&commitment))); ret != C.C_KZG_OK {
			return ret
		}
		C.compute_challenge(&element, (*C.Blob)(unsafe.Pointer(blob)), &point)
		C.bytes_from_bls_field((*C.Bytes32)(unsafe.Pointer(&challenge)), &element)
		return C.C_KZG_OK
	})
	return
}

// computeVerifyCellKZGProofBatchChallenge returns the challenge of cells, their proofs and commitments.
func computeVerifyCellKZGProofBatchChallenge(commitmentsBytes []Bytes48, commitmentIndices, cellIndices []uint64, cells []Cell, proofsBytes []Bytes48) (challenge Bytes32, err error) {
	if len(commitmentIndices) != len(cells) || len(cellIndices) != len(cells) || len(proofsBytes) != len(cells) {
		return challenge, use(badArgs)
	}
	err = use(func(*C.KZGSettings) C.C_KZG_RET {
		var element C.fr_t
		ret := C.compute_verify_cell_kzg_proof_batch_challenge(&element, (*C.Bytes48)(first(commitmentsBytes)),
			C.uint64_t(len(commitmentsBytes)), (*C.uint64_t)(first(commitmentIndices)), (*C.uint64_t)(first(cellIndices)),
			(*C.Cell)(first(cells)), (*C.Bytes48)(first(proofsBytes)), C.uint64_t(len(cells)))
		if ret == C.C_KZG_OK {
			C.bytes_from_bls_field((*C.Bytes32)(unsafe.Pointer(&challenge)), &element)
		}
		return ret
	})
	return
}
