//go:build parcrypt

// The context of go-eth-kzg, computed by the Go module of bindings/go: `scripts/trial` puts this file into a copy of the published module.
package goethkzg

import (
	"encoding/hex"
	"encoding/json"
	"slices"
	"strings"
	"sync"

	"github.com/crate-crypto/go-eth-kzg/internal/kzg"
	ckzg "github.com/ethereum/c-kzg-4844/v2/bindings/go"
)

// The table of multiples that go-ethereum chooses for c-kzg.
const precompute = 6

// Context is the trusted setup of the process: the module below holds one.
type Context struct{}

var (
	load       sync.Once
	loadError  error
	BlsModulus = [32]byte{
		0x73, 0xed, 0xa7, 0x53, 0x29, 0x9d, 0x7d, 0x48, 0x33, 0x39, 0xd8, 0x08, 0x09, 0xa1, 0xd8, 0x05,
		0x53, 0xbd, 0xa4, 0x02, 0xff, 0xfe, 0x5b, 0xfe, 0xff, 0xff, 0xff, 0xff, 0x00, 0x00, 0x00, 0x01,
	}
	PointAtInfinity = [48]byte{0xc0}
)

func NewContext4096Secure() (*Context, error) {
	setup := JSONTrustedSetup{}
	if err := json.Unmarshal([]byte(testKzgSetupStr), &setup); err != nil {
		return nil, err
	}
	return NewContext4096(&setup)
}

func NewContext4096(setup *JSONTrustedSetup) (*Context, error) {
	load.Do(func() {
		var lists [3][]byte
		for i, points := range [][]string{setup.SetupG1Monomial[:], setup.SetupG1Lagrange[:], setup.SetupG2} {
			if lists[i], loadError = hex.DecodeString(strings.ReplaceAll(strings.Join(points, ""), "0x", "")); loadError != nil {
				return
			}
		}
		loadError = ckzg.LoadTrustedSetup(lists[0], lists[1], lists[2], precompute)
	})
	return &Context{}, loadError
}

func blobOf(blob *Blob) (*ckzg.Blob, error) {
	if blob == nil {
		return nil, ErrDeserializeNilInput
	}
	return (*ckzg.Blob)(blob), nil
}

func cellsOf(cells []*Cell) ([]ckzg.Cell, error) {
	list := make([]ckzg.Cell, len(cells))
	for i, cell := range cells {
		if cell == nil {
			return nil, ErrDeserializeNilInput
		}
		list[i] = ckzg.Cell(*cell)
	}
	return list, nil
}

// pointers returns pointers to the cells, without a copy.
func pointers(cells *[CellsPerExtBlob]ckzg.Cell) (list [CellsPerExtBlob]*Cell) {
	for i := range cells {
		list[i] = (*Cell)(&cells[i])
	}
	return
}

func convert[To, From ~[48]byte](points []From) []To {
	list := make([]To, len(points))
	for i, point := range points {
		list[i] = To(point)
	}
	return list
}

func verdict(valid bool, err error) error {
	if err == nil && !valid {
		return kzg.ErrVerifyOpeningProof
	}
	return err
}

func (*Context) BlobToKZGCommitment(blob *Blob, _ int) (KZGCommitment, error) {
	of, err := blobOf(blob)
	if err != nil {
		return KZGCommitment{}, err
	}
	commitment, err := ckzg.BlobToKZGCommitment(of)
	return KZGCommitment(commitment), err
}

func (*Context) ComputeBlobKZGProof(blob *Blob, commitment KZGCommitment, _ int) (KZGProof, error) {
	of, err := blobOf(blob)
	if err != nil {
		return KZGProof{}, err
	}
	proof, err := ckzg.ComputeBlobKZGProof(of, ckzg.Bytes48(commitment))
	return KZGProof(proof), err
}

func (*Context) ComputeKZGProof(blob *Blob, point Scalar, _ int) (KZGProof, Scalar, error) {
	of, err := blobOf(blob)
	if err != nil {
		return KZGProof{}, Scalar{}, err
	}
	proof, value, err := ckzg.ComputeKZGProof(of, ckzg.Bytes32(point))
	return KZGProof(proof), Scalar(value), err
}

func (*Context) VerifyKZGProof(commitment KZGCommitment, point, value Scalar, proof KZGProof) error {
	return verdict(ckzg.VerifyKZGProof(ckzg.Bytes48(commitment), ckzg.Bytes32(point), ckzg.Bytes32(value), ckzg.Bytes48(proof)))
}

func (*Context) VerifyBlobKZGProof(blob *Blob, commitment KZGCommitment, proof KZGProof) error {
	of, err := blobOf(blob)
	if err != nil {
		return err
	}
	return verdict(ckzg.VerifyBlobKZGProof(of, ckzg.Bytes48(commitment), ckzg.Bytes48(proof)))
}

func (*Context) VerifyBlobKZGProofBatch(blobs []*Blob, commitments []KZGCommitment, proofs []KZGProof) error {
	list := make([]ckzg.Blob, len(blobs))
	for i := range blobs {
		of, err := blobOf(blobs[i])
		if err != nil {
			return err
		}
		list[i] = *of
	}
	return verdict(ckzg.VerifyBlobKZGProofBatch(list, convert[ckzg.Bytes48](commitments), convert[ckzg.Bytes48](proofs)))
}

func (c *Context) VerifyBlobKZGProofBatchPar(blobs []*Blob, commitments []KZGCommitment, proofs []KZGProof) error {
	return c.VerifyBlobKZGProofBatch(blobs, commitments, proofs)
}

func (*Context) ComputeCells(blob *Blob, _ int) ([CellsPerExtBlob]*Cell, error) {
	of, err := blobOf(blob)
	if err != nil {
		return [CellsPerExtBlob]*Cell{}, err
	}
	cells, err := ckzg.ComputeCells(of)
	return pointers(&cells), err
}

func (*Context) ComputeCellsAndKZGProofs(blob *Blob, _ int) ([CellsPerExtBlob]*Cell, [CellsPerExtBlob]KZGProof, error) {
	of, err := blobOf(blob)
	if err != nil {
		return [CellsPerExtBlob]*Cell{}, [CellsPerExtBlob]KZGProof{}, err
	}
	cells, proofs, err := ckzg.ComputeCellsAndKZGProofs(of)
	return pointers(&cells), [CellsPerExtBlob]KZGProof(convert[KZGProof](proofs[:])), err
}

func (*Context) RecoverCells(indices []uint64, cells []*Cell, _ int) ([CellsPerExtBlob]*Cell, error) {
	of, err := cellsOf(cells)
	if err != nil {
		return [CellsPerExtBlob]*Cell{}, err
	}
	recovered, err := ckzg.RecoverCells(indices, of)
	return pointers(&recovered), err
}

func (*Context) RecoverCellsAndComputeKZGProofs(indices []uint64, cells []*Cell, _ int) ([CellsPerExtBlob]*Cell, [CellsPerExtBlob]KZGProof, error) {
	of, err := cellsOf(cells)
	if err != nil {
		return [CellsPerExtBlob]*Cell{}, [CellsPerExtBlob]KZGProof{}, err
	}
	recovered, proofs, err := ckzg.RecoverCellsAndKZGProofs(indices, of)
	return pointers(&recovered), [CellsPerExtBlob]KZGProof(convert[KZGProof](proofs[:])), err
}

func (*Context) VerifyCellKZGProofBatch(commitments []KZGCommitment, indices []uint64, cells []*Cell, proofs []KZGProof) error {
	of, err := cellsOf(cells)
	if err != nil {
		return err
	}
	return verdict(ckzg.VerifyCellKZGProofBatch(convert[ckzg.Bytes48](commitments), indices, of, convert[ckzg.Bytes48](proofs)))
}

// isAscending is what a test of go-eth-kzg calls.
func isAscending(indices []uint64) bool {
	strictly := slices.Compact(slices.Clone(indices))
	return len(strictly) == len(indices) && slices.IsSorted(indices)
}
